// The command line. Every option is one word, `--option=value`: a separate value that begins with a dash
// would be an option, and the list options would swallow whatever follows. A prompt is never in it: stdin.
import type { Order, PermissionMode } from '../../schema.ts'
import type { Features } from '../version/schema.ts'

/** One word of a command line must stay below 128 KiB; leave room for the option's name. */
export const longestWord = 120_000

/**
 * What may stand behind `--`: options that cannot loosen a role, with how many values they take. Anything
 * else, unknown options of newer versions too, belongs into the role, where it is checked.
 */
const extraOptions: Readonly<Record<string, 0 | 1>> = {
  '--ax-screen-reader': 0,
  '--autocompact': 1,
  '--betas': 1,
  '--brief': 0,
  '--chrome': 0,
  '--debug': 0,
  '--debug-file': 1,
  '--disable-slash-commands': 0,
  '--effort': 1,
  '--exclude-dynamic-system-prompt-sections': 0,
  '--fallback-model': 1,
  '--ide': 0,
  '--mcp-config': 1,
  '--name': 1,
  '--no-chrome': 0,
  '--plugin-dir': 1,
  '--strict-mcp-config': 0,
}

export const extraProblems = (extra: readonly string[]): readonly string[] => {
  const problems: string[] = []
  for (let index = 0; index < extra.length; index++) {
    const word = extra[index] ?? ''
    const [name = '', ...value] = word.split('=')
    const values = Object.hasOwn(extraOptions, name) ? extraOptions[name] : undefined
    if (!word.startsWith('-')) problems.push(`"${word}": a prompt cannot be given here; send it as a message`)
    else if (values === undefined) problems.push(`"${name}" cannot be given here; set it in the role`)
    else if (values === 0 && value.length > 0) problems.push(`"${name}" takes no value`)
    else if (values === 1 && value.length === 0 && ++index >= extra.length)
      problems.push(`"${name}" needs a value`)
  }
  return problems
}

/** UTF-8 bytes of a text. */
const bytes = (text: string): number => {
  let count = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return count
}

export const argvProblems = (order: Order): readonly string[] => {
  const problems = [...extraProblems(order.extra ?? [])]
  const words = {
    instructions: order.instructions,
    system_prompt: order.systemPrompt,
    schema: order.jsonSchema,
  }
  for (const [name, text] of Object.entries(words)) {
    const size = bytes(text ?? '')
    if (size > longestWord)
      problems.push(`${name} has ${size} bytes; at most ${longestWord} can be passed on`)
    if (text?.includes('\0')) problems.push(`${name} contains a NUL character`)
  }
  for (const tool of [...(order.tools ?? []), ...(order.disallowed ?? [])])
    if (/^-|[\0\n]/.test(tool) || tool === '') problems.push(`"${tool}" is no name of a tool`)
  if (order.tools?.some((tool) => tool.includes(','))) problems.push('a name of a tool has no comma')
  if (!order.terminal && (order.prompt ?? '').trim() === '')
    problems.push('a headless session needs a prompt')
  if (order.terminal && order.prompt !== undefined)
    problems.push('a terminal session gets its prompt as a message')
  return problems
}

const mode = (wanted: PermissionMode, features: Features): string => {
  if (wanted !== 'manual' && wanted !== 'default') return wanted
  return features.manualMode ? 'manual' : 'default'
}

const identity = ({ start }: Order): readonly string[] => {
  // `--session-id` together with `--resume` alone is refused: it names the fork.
  if (start.kind === 'new') return [`--session-id=${start.id}`]
  if (start.kind === 'resume') return [`--resume=${start.id}`]
  return [`--resume=${start.from}`, '--fork-session', `--session-id=${start.id}`]
}

const option = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}=${value}`]

export const argv = (program: string, order: Order, features: Features): readonly string[] => [
  program,
  ...(order.terminal ? [] : ['--print', '--output-format=stream-json', '--verbose']),
  ...identity(order),
  // Always explicit: the interactive default is `auto`, which asks nobody.
  `--permission-mode=${mode(order.permissionMode, features)}`,
  `--settings=${order.paths.settings}`,
  ...(order.ignoreProjectSettings ? ['--setting-sources=user'] : []),
  ...option('model', order.model),
  ...option('system-prompt', order.systemPrompt),
  ...option('append-system-prompt', order.instructions),
  ...(order.switched && features.promptSnapshot ? ['--system-prompt-snapshot=off'] : []),
  // An empty list is a list: no tools at all.
  ...option('tools', order.tools?.join(',')),
  ...(order.disallowed ?? []).map((rule) => `--disallowedTools=${rule}`),
  ...(order.terminal ? [] : option('max-turns', order.maxTurns)),
  ...(order.terminal ? [] : option('max-budget-usd', order.maxCostUsd)),
  ...(order.terminal ? [] : option('json-schema', order.jsonSchema)),
  ...(order.extra ?? []),
]
