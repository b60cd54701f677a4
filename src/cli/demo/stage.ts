// Where the demo plays: a temporary home, root and repository, all removed at the end.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { end } from '../../base/process/end.ts'
import type { Identity } from '../../base/process/identity.ts'
import type { Call } from '../io.ts'

export type Said = { readonly code: number; readonly out: string; readonly err: string }

export type Stage = {
  readonly root: string
  readonly repository: string
  /** Runs this program there, as a person would. */
  readonly agency: (...args: string[]) => Promise<Said>
  readonly json: (...args: string[]) => Promise<Record<string, unknown>>
  /** What an agent is given of the environment, and the programs that stand for Claude Code and for its hook. */
  readonly env: NodeJS.ProcessEnv
  readonly scripted: string
  readonly hook: string
  /** Whoever was seen running: ended at the end, whatever happens. */
  readonly seen: (whom: Identity) => void
}

type Where = { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly signal?: AbortSignal }

const execute = (file: string, args: readonly string[], at: Where): Promise<Said> =>
  new Promise((resolve) => {
    const child = execFile(file, args, { ...at, maxBuffer: 16 * 1024 * 1024 }, (error, out, err) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1
      resolve({ code, out, err: err || (error?.message ?? '') })
    })
    child.stdin?.end()
  })

/** Nothing of the caller's agency, agent or git settings reaches the stage. */
const stageEnv = (env: Call['io']['env'], folder: string, root: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(AGENCY_|H2_|AG_|CLAUDE|GIT_|XDG_CONFIG)/.test(name)),
  ),
  HOME: join(folder, 'home'),
  AGENCY_SCENARIO: join(folder, 'scenario.json'),
  AGENCY_ROOT: root,
  NO_COLOR: '1',
})

export const setStage = async ({ io, defer }: Call): Promise<Stage> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agency-demo-')))
  const identities: Identity[] = []
  const [root, repository] = [join(folder, 'root'), join(folder, 'repository')]
  const env = stageEnv(io.env, folder, root)
  const [node, ...program] = io.self
  const self = program.at(-1) ?? node
  const curtain = new AbortController()
  const at = { env, cwd: repository }
  const agency = (...args: string[]): Promise<Said> =>
    execute(node, [...program, ...args], { ...at, signal: curtain.signal })
  defer(async () => {
    // What an interrupted act was just doing must not start anything behind our back.
    curtain.abort()
    await execute(node, [...program, 'kill', '--all'], at)
    for (const whom of identities) await end(whom, { grace: 5000 })
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  await mkdir(join(folder, 'home'))
  await mkdir(repository)
  await writeFile(join(repository, 'README.md'), '# A repository to work in\n')
  await writeFile(join(folder, 'scenario.json'), '{"scripts":[{"replies":[{"text":"Done."}]}]}\n')
  const git = (...args: string[]): Promise<Said> => execute('git', args, at)
  await git('init', '--quiet', '--initial-branch', 'main')
  await git('add', '.')
  await git('-c', 'user.name=demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '-m', 'begin')
  return {
    root,
    repository,
    agency,
    json: async (...args) => JSON.parse((await agency(...args, '--json')).out || '{}'),
    env,
    scripted: join(dirname(self), 'scripted'),
    hook: `'${node}' '${self}' hook`,
    seen: (whom) => identities.push(whom),
  }
}
