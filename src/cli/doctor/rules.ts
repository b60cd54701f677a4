import type { Facts, Finding, Program } from './schema.ts'

const leastNode = [20, 19]
const mebibyte = 1024 * 1024

const atLeast = (version: string, [major = 0, minor = 0]: readonly number[]): boolean => {
  const [a = 0, b = 0] = version.replace(/^v/, '').split('.').map(Number)
  return a > major || (a === major && b >= minor)
}

const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
const warning = (check: string, found: string, fix: string): Finding => ({
  check,
  state: 'warning',
  found,
  fix,
})
const problem = (check: string, found: string, fix: string): Finding => ({
  check,
  state: 'problem',
  found,
  fix,
})

const program = (check: string, found: Program, otherwise: Finding): Finding =>
  found === undefined ? otherwise : ok(check, `${found.version} (${found.path})`)

const walls = ({ sandbox, limits }: Facts): Finding[] => {
  const without = 'headless agents that skip permissions are refused without one'
  if (!('path' in sandbox)) return [warning('sandbox', `none: ${sandbox.cause}; ${without}`, sandbox.fix)]
  return [
    ok('sandbox', `bubblewrap ${sandbox.version} (${sandbox.path}) makes one`),
    limits
      ? ok('limits', 'memory and number of processes can be limited (systemd-run)')
      : warning(
          'limits',
          'memory is not limited: there is no systemd user session here',
          'Log in with a systemd user session to have limits.',
        ),
  ]
}

const disk = (root: Facts['root']): Finding[] => {
  if (!('freeBytes' in root)) return [warning('root', root.trouble, root.fix)]
  const free = Math.floor(root.freeBytes / mebibyte)
  const found = `${free} MiB free at ${root.path}`
  const fix = 'Free some space; the journal refuses to write on a full disk.'
  const state = free < 100 ? problem : warning
  return [ok('root', root.path), free < 1024 ? state('disk space', found, fix) : ok('disk space', found)]
}

const checkFiles = ({ root, files }: Facts): Finding[] => {
  if (!('freeBytes' in root)) return []
  const [first, ...more] = files
  if (first === undefined) return [ok('files', 'config, roles, pods, agents and directors are valid')]
  const found = more.length === 0 ? first : `${first}, and ${more.length} more`
  return [problem('files', found, 'Type `agency validate --all`, and correct them.')]
}

const checkToken = ({ token }: Facts): Finding[] =>
  token === undefined ? [] : [problem('token', token.trouble, token.fix)]

const leftovers = (traces: Facts['traces']): Finding[] => {
  const stale = traces.filter(({ live }) => !live)
  if (stale.length === 0) return [ok('left over', 'no stale process record or socket')]
  return stale.map(({ what, path }) =>
    warning(
      'left over',
      `${what} has gone, but left ${path}`,
      'Type `agency up`: the host clears what is stale when it starts.',
    ),
  )
}

const credential = ({ name, state, says }: Facts['credentials'][number]): Finding => {
  const check = `credential ${name}`
  const set = `Type \`agency credential set ${name}\`.`
  if (state === 'stored') return ok(check, 'stored, readable only by you')
  if (state === 'environment') return ok(check, 'in the environment')
  if (state === 'unsafe')
    return problem(check, `its file ${says}`, `Make a new token at its origin, then: ${set}`)
  if (state === 'bad') return problem(check, `its file ${says}`, set)
  return name === 'claude-token'
    ? warning(check, 'not set: Claude agents cannot log in', set)
    : ok(check, `not set (only the ${name.replace('-token', '')} director needs it)`)
}

export const judge = (facts: Facts): Finding[] => [
  atLeast(facts.node, leastNode)
    ? ok('node', facts.node)
    : problem('node', `${facts.node} is too old`, `Install Node ${leastNode.join('.')} or newer.`),
  program('git', facts.git, problem('git', 'not on PATH', 'Install git: worktrees and reviews need it.')),
  program(
    'claude',
    facts.claude,
    warning(
      'claude',
      'not on PATH, and CLAUDE_BIN is not set',
      'Type `npm install -g @anthropic-ai/claude-code`; roles with another command work without it.',
    ),
  ),
  ...(facts.asRoot
    ? [
        warning(
          'user',
          'you are root: Claude refuses to skip permissions as root',
          'Run agency as an ordinary user.',
        ),
      ]
    : []),
  ...walls(facts),
  ...disk(facts.root),
  ...checkFiles(facts),
  ...checkToken(facts),
  ...leftovers(facts.traces),
  ...facts.credentials.map(credential),
]
