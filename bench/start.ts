// What a person waits for: a command from nothing to its end, against Node alone.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interleaved, median, type Row } from './frame.ts'

const time = (command: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: string): number => {
  const from = process.hrtime.bigint()
  const { status, stderr } = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  })
  const took = Number(process.hrtime.bigint() - from) / 1e6
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited ${status}: ${stderr}`)
  return took
}

export const startRows = async (rounds: number, env: NodeJS.ProcessEnv): Promise<Row[]> => {
  const agency =
    (...words: string[]) =>
    () =>
      time(process.execPath, ['bin/agency', ...words], env)
  const times = await interleaved(rounds, {
    node: () => time(process.execPath, ['-e', '0'], env),
    help: agency('--help'),
    version: agency('version'),
    list: agency('list'),
    status: agency('status'),
  })
  const floor = median(times.node)
  // The promise is "2x node plus 60 ms", said as a ratio of this run's floor.
  const limit = 2 + 60 / floor
  return (['help', 'version', 'list', 'status'] as const).map((name) => ({
    name: `agency ${name === 'help' ? '--help' : name}`,
    value: median(times[name]),
    floor,
    floorName: 'node -e 0',
    unit: 'ms',
    limit,
  }))
}

/** The command hook, answered by a listener that has no opinion. */
export const hookRows = async (rounds: number, env: NodeJS.ProcessEnv): Promise<Row[]> => {
  const input = JSON.stringify({
    session_id: 's',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  })
  const times = await interleaved(rounds, {
    node: () => time(process.execPath, ['-e', '0'], env),
    nothing: () => time('true', [], env, input),
    hook: () => time(process.execPath, ['dist/hook.cjs', 'pre-tool-use'], env, input),
  })
  const value = median(times.hook)
  return [
    {
      name: 'command hook',
      value,
      floor: median(times.node),
      floorName: 'node -e 0',
      unit: 'ms',
      limit: 1.5,
    },
    { name: 'command hook', value, floor: median(times.nothing), floorName: 'true', unit: 'ms' },
  ]
}

/** The gate without a host, as plain Claude Code runs it: a process for each call. */
export const gateRows = async (rounds: number, env: NodeJS.ProcessEnv, home: string): Promise<Row[]> => {
  const plain = join(home, 'plain')
  const gated = join(home, 'gated')
  const at = (where: string) => ({ ...env, AGENCY_ROOT: '', HOME: where, CLAUDE_PLUGIN_ROOT: 'dist/plugin' })
  for (const where of [plain, gated]) {
    mkdirSync(where, { recursive: true })
    time(process.execPath, ['bin/agency', 'init'], at(where))
  }
  writeFileSync(
    join(gated, '.agency/config.yaml'),
    'review: { gates: { tools: ["Bash:gh issue close*"] } }\n',
  )
  const hook = (where: string, command: string) => () =>
    time(
      'dist/plugin/bin/roz',
      ['hook', 'pre-tool-use'],
      at(where),
      JSON.stringify({
        session_id: 'bench',
        cwd: where,
        tool_name: 'Bash',
        tool_input: { command },
        tool_use_id: 't1',
      }),
    )
  const times = await interleaved(rounds, {
    node: () => time(process.execPath, ['-e', '0'], env),
    none: hook(plain, 'ls'),
    other: hook(gated, 'ls'),
    closed: hook(gated, 'gh issue close 1'),
  })
  const floor = median(times.node)
  const row = (name: string, value: number, limit: number): Row => ({
    name: `roz hook pre-tool-use, ${name}`,
    value,
    floor,
    floorName: 'node -e 0',
    unit: 'ms',
    limit,
  })
  return [
    row('no gates', median(times.none), 4),
    row('not gated', median(times.other), 8),
    row('gated', median(times.closed), 9),
  ]
}
