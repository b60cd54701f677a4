// One question to a model, put through the CLI: no tools but such as read, no hooks, nothing of the project, one answer in
// a shape. What stands in the question is read by nobody but the model.
import type { Launch, Question } from '../../schema.ts'
import { isListed, isLogin } from '../env/rules.ts'
import { seed } from '../seed/rules.ts'

type Environment = Readonly<Record<string, string>>

/** The way to the model, and who pays: of everything else in an environment the answer must not depend. */
const needed = /^(ANTHROPIC_\w+|AWS_\w+|GOOGLE_\w+|VERTEX_\w+|CLOUD_ML_REGION|(ALL|HTTP|HTTPS|NO)_PROXY)$/i

const retries = 1
/** Who reads a whole tree before has more to lose. */
const readerRetries = 4
const readerTurns = 200

const environment = ({ caller, credentials, paths, reads }: Question): Environment => ({
  ...Object.fromEntries(
    Object.entries(caller).filter(([name]) => isListed(name) || isLogin(name) || needed.test(name)),
  ),
  ...credentials,
  CLAUDE_CONFIG_DIR: paths.config,
  CLAUDE_CODE_TMPDIR: paths.tmp,
  CLAUDE_CODE_MAX_RETRIES: String(reads === undefined ? retries : readerRetries),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // Git would run what the repository names, and whoever is looked at may have written that.
  ...(reads === undefined ? {} : { GIT_DIR: '/nonexistent' }),
})

/**
 * `@path` in a prompt makes the CLI read that file into it, from anywhere, also where no tool is offered; and what looks
 * like a tag may pass for one of its own. Inside JSON both can be spelled otherwise and mean the same.
 */
export const inert = (json: string): string =>
  // What cannot be seen, and every space but the plain one, is spelled out too.
  json.replace(/[@<]|(?! )[\p{C}\p{Z}]|\p{Mn}/gu, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Nothing is allowed beforehand: of commands the CLI runs those that only read, and nobody is there to allow more. */
const tools = ({ reads }: Question): readonly string[] =>
  // One answer. Whoever gives none is not asked again.
  reads === undefined
    ? ['--tools=', '--max-turns=1']
    : [
        `--tools=${reads.shell ? 'Read,Bash' : 'Read'}`,
        // Not the working directory: what lies there is taken for the project.
        `--add-dir=${reads.directory}`,
        `--max-turns=${readerTurns}`,
      ]

export const question = (program: string, asked: Question): Launch => {
  const env = environment(asked)
  const state = seed({ cwd: asked.cwd, permissionMode: 'default' }, env.ANTHROPIC_API_KEY)
  return {
    argv: [
      program,
      '--print',
      '--output-format=stream-json',
      '--verbose',
      '--no-session-persistence',
      '--permission-mode=default',
      // With an empty config directory nobody's settings, memory or servers are left but an administrator's.
      '--setting-sources=user',
      '--strict-mcp-config',
      '--disable-slash-commands',
      ...tools(asked),
      `--model=${asked.model}`,
      `--system-prompt=${asked.system}`,
      `--json-schema=${asked.shape}`,
    ],
    env,
    stdin: asked.prompt,
    files: [{ path: `${asked.paths.config}/.claude.json`, text: `${JSON.stringify(state)}\n`, once: false }],
  }
}
