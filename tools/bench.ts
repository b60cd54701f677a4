// npm run bench [-- --short] [--strict] [--json]: ratios against floors measured in the same run.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentRows } from '../bench/agents.ts'
import { appendRows } from '../bench/append.ts'
import { holds, type Row, ratioOf, table } from '../bench/frame.ts'
import { historyRows } from '../bench/history.ts'
import { hookCallRows } from '../bench/hooks.ts'
import { httpRows, liveHost } from '../bench/http.ts'
import { idleRows } from '../bench/idle.ts'
import { end, start } from '../bench/program.ts'
import { reviewRows } from '../bench/review.ts'
import { shellRows } from '../bench/shell.ts'
import { gateRows, hookRows, startRows } from '../bench/start.ts'
import { taskRows } from '../bench/tasks.ts'
import { terminalRows } from '../bench/terminal.ts'
import { wallRows } from '../bench/walls.ts'
import { agency, takeGround } from '../soak/ground.ts'

const { values: flags } = parseArgs({
  options: { short: { type: 'boolean' }, strict: { type: 'boolean' }, json: { type: 'boolean' } },
})
const size = flags.short
  ? {
      rounds: 7,
      requests: 2_000,
      appends: 400,
      idle: 3,
      megabytes: 10,
      floods: 1,
      keys: 50,
      agents: 5,
      hooks: { agents: 20, calls: 2_000, slices: 2 },
      tasks: 20_000,
      work: { rounds: 5, slices: 3, slice: 40 },
    }
  : {
      rounds: 21,
      requests: 20_000,
      appends: 4_000,
      idle: 10,
      megabytes: 50,
      floods: 3,
      keys: 300,
      agents: 30,
      hooks: { agents: 20, calls: 2_000, slices: 5 },
      tasks: 100_000,
      work: { rounds: 15, slices: 5, slice: 40 },
    }

const ground = takeGround()
const crowded = takeGround()
const scratch = mkdtempSync(join(tmpdir(), 'agency-bench-'))
const say = (line: string): void => {
  if (!flags.json) console.error(line)
}

try {
  mkdirSync(join(scratch, 'sockets'))
  const env = { ...ground.env, AGENCY_ROOT: ground.root }
  const rows: Row[] = []
  const { exit, err } = agency(ground, 'up', '--detach')
  if (exit !== 0) throw new Error(err)
  say('commands …')
  rows.push(...(await startRows(size.rounds, env)))
  say('hook …')
  const listener = await start(['build/silent.js'], env)
  try {
    const hook = {
      ...env,
      AGENCY_HOOK: listener.line,
      AGENCY_HOOK_TOKEN: 'x',
      AGENCY_HOOK_DEADLINE_MS: '20000',
    }
    rows.push(...(await hookRows(size.rounds, hook)))
  } finally {
    await end(listener)
  }
  rows.push(...(await gateRows(size.rounds, env, join(scratch, 'gate'))))
  say('command lines …')
  rows.push(...shellRows(size.rounds, env))
  say('hooks of many agents …')
  rows.push(...(await hookCallRows(size.hooks)))
  say('requests …')
  rows.push(...(await httpRows(size.requests, join(scratch, 'sockets'), liveHost(ground.root), env)))
  say('appends …')
  rows.push(...(await appendRows(flags.short ? 1 : 3, size.appends)))
  say('history …')
  rows.push(...(await historyRows(size.rounds, size.tasks, scratch)))
  say('reviews …')
  rows.push(...(await reviewRows(size.rounds, scratch)))
  say('terminal …')
  rows.push(...(await terminalRows(size, ground.root, scratch, env)))
  say('idle …')
  const { host } = JSON.parse(agency(ground, 'status', '--json').out) as { host: { pid: number } }
  rows.push(...(await idleRows(size.idle, join(scratch, 'sockets'), host.pid, env)))
  say('walls …')
  rows.push(...(await wallRows(size.rounds, scratch)))
  say('tasks …')
  rows.push(...(await taskRows(size.work, scratch)))
  say('agents …')
  rows.push(...(await agentRows(ground, crowded, { ...size, seconds: size.idle })))
  const over = rows.filter((row) => !holds(row))
  if (flags.json)
    console.log(
      JSON.stringify({ rows: rows.map((row) => ({ ...row, ratio: ratioOf(row), ok: holds(row) })) }, null, 2),
    )
  else console.log(`\n${table(rows)}`)
  if (over.length > 0) {
    say(`\n${over.length} over what is promised; on a busy machine, run it again.`)
    if (flags.strict) process.exitCode = 1
  }
} finally {
  for (const each of [ground, crowded]) {
    agency(each, 'kill', '--all')
    each.remove()
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
