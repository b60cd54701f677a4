// What a hook costs on its whole way: the agent's request, its keeper, the host, what decides, the journal, and back.
// A floor says again what it was told, and does nothing else:
//   an echo behind relays   at the end of the same way: as many processes of Node hand it on as there are keepers
//   a bare echo             Node's own server, asked directly; of the whole way, and of the host alone on its socket
//   an echo route           the host's own way to receive, check and answer, on such a socket, without what it decides
// Each hook is then looked for in the journal.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { agency, asking, type Ground, takeGround } from '../soak/ground.ts'
import { hostSocket } from '../src/client/address.ts'
import { call } from '../src/client/call.ts'
import { events } from '../src/client/events.ts'
import { route } from '../src/client/route.ts'
import { reach } from '../src/client/start.ts'
import { layout } from '../src/config/layout/rules.ts'

import type { host as api } from '../src/host/api.ts'
import { median, percentile, type Row } from './frame.ts'
import { type Ask, load } from './load.ts'
import { end, type Program, start } from './program.ts'

export type HooksSize = { readonly agents: number; readonly calls: number; readonly slices: number }

type Agent = {
  readonly name: string
  readonly session: string
  readonly port: number
  readonly token: string
  readonly cwd: string
}

/** Stands for the CLI; keeps a copy of the settings, which are gone once the session has begun. */
const program = (kept: string, scenario: string): string => `#!/bin/sh
for word; do
  case $word in --settings=*) cp "\${word#--settings=}" "${kept}/$AGENCY_ACTOR" ;; esac
done
AGENCY_SCENARIO="${scenario}" exec "${resolve('bin/scripted')}" "$@"
`

const role = `name: bench
agent_type: claude
instructions: Work.
permissions:
  allow: ["Bash(npm test:*)", "Bash(git status:*)", Read, "Edit(src/**)"]
  deny: ["Bash(git push:*)", "Bash(gh issue close:*)", "Read(.env)", "Edit(dist/**)"]
`

/** What agents do all day: allowed, refused, and without a rule. */
const deeds: readonly (readonly [string, (cwd: string) => object])[] = [
  ['Bash', () => ({ command: 'git status --short && npm test -- --run src/a.test.ts | tail -20' })],
  ['Read', (cwd) => ({ file_path: join(cwd, 'src/a.ts') })],
  [
    'Edit',
    (cwd) => ({ file_path: join(cwd, 'src/a.ts'), old_string: 'const a = 1', new_string: 'const a = 2' }),
  ],
  ['Bash', () => ({ command: 'cd app && timeout 60 git -C . push origin HEAD:main' })],
  ['Grep', (cwd) => ({ pattern: 'const', path: join(cwd, 'src') })],
  ['Bash', () => ({ command: "rg -n 'TODO|FIXME' src | sort | uniq -c | head -40" })],
]

type Settings = { hooks: { PreToolUse: [{ hooks: [{ url: string; headers: { Authorization: string } }] }] } }

const launchAll = async (ground: Ground, count: number): Promise<readonly Agent[]> => {
  const folder = join(ground.root, '..')
  const [kept, cwd, bin] = [join(folder, 'kept'), join(folder, 'work'), join(folder, 'claude')]
  const scenario = join(folder, 'scenario.json')
  for (const each of [kept, join(cwd, 'src')]) mkdirSync(each, { recursive: true })
  writeFileSync(join(cwd, 'src/a.ts'), 'const a = 1\n')
  writeFileSync(scenario, '{"scripts":[]}')
  writeFileSync(bin, program(kept, scenario), { mode: 0o755 })
  writeFileSync(join(ground.root, 'roles/bench.yaml'), role)
  const env = { CLAUDE_BIN: bin, ANTHROPIC_API_KEY: 'sk-ant-fake-0123456789-abcdefghij-klmnopqrst' }
  const launch = async (name: string): Promise<Agent> => {
    const words = ['run', '--role', 'bench', '--name', name, '--detach']
    const { exit, err } = await asking(ground, words, { cwd, env })
    if (exit !== 0) throw new Error(`${name} was not launched: ${err}`)
    const settings = JSON.parse(readFileSync(join(kept, name), 'utf8')) as Settings
    const [{ url, headers }] = settings.hooks.PreToolUse[0].hooks
    const card = join(layout(ground.root).session(name), 'keeper.json')
    const { session } = JSON.parse(readFileSync(card, 'utf8')) as { session: string }
    return { name, session, cwd, port: Number(new URL(url).port), token: headers.Authorization }
  }
  const agents: Agent[] = []
  // A few at a time: all at once would fight for the processor until some look silent.
  for (let from = 0; from < count; from += 5)
    agents.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(5, count - from) }, (_, at) => launch(`h${from + at}`)),
      )),
    )
  return agents
}

/** A call is asked about, then its end is told. */
const hookOf = ({ name, cwd }: Agent, prefix: string) => {
  const fixed = { session_id: name, transcript_path: `/tmp/${name}.jsonl`, cwd, prompt_id: 'p' }
  return (at: number): { readonly event: string; readonly id: string; readonly body: string } => {
    const [tool, input] = deeds[(at >> 1) % deeds.length] ?? ['Bash', () => ({})]
    const id = `toolu_${prefix}_${name}_${at >> 1}`
    const deed = { tool_name: tool, tool_input: input(cwd), tool_use_id: id }
    const event = at % 2 === 0 ? 'PreToolUse' : 'PostToolUse'
    const more = at % 2 === 0 ? {} : { tool_response: { stdout: 'x'.repeat(400) }, duration_ms: 12 }
    const body = JSON.stringify({ ...fixed, hook_event_name: event, ...deed, ...more })
    return { event, id: `${id}-${event}`, body }
  }
}

const posted = (body: string, ...heads: readonly string[]): string =>
  [
    'POST /hook HTTP/1.1',
    ...heads,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

/** As the CLI sends it to its keeper. */
const requestOf = (agent: Agent, prefix: string) => {
  const hook = hookOf(agent, prefix)
  return (at: number): string =>
    posted(hook(at).body, `Host: 127.0.0.1:${agent.port}`, `Authorization: ${agent.token}`)
}

/** As a keeper sends it to the host. */
const askedOf = (agent: Agent, prefix: string) => {
  const hook = hookOf(agent, prefix)
  return (at: number): string => {
    const { id, event, body } = hook(at)
    const { name, session } = agent
    const start = JSON.stringify({ agent: name, session, id, event })
    return posted(`${start.slice(0, -1)},"input":${body}}`, 'Host: localhost')
  }
}

/** Every call that was asked about and told the end of is in the journal, and once. */
const checkJournal = async (ground: Ground, asked: number): Promise<void> => {
  const client = await reach(ground.root)
  const counted = new Map<string, number>()
  const late = performance.now() + 20_000
  for (;;) {
    const { seq } = await call(client, route<typeof api.state>('GET', '/state'), {})
    counted.clear()
    for await (const { type, data, seq: at } of events(client, { after: 0 })) {
      if (type === 'session.called' || type === 'session.returned') {
        const key = `${type} ${(data as { call: string }).call}`
        counted.set(key, (counted.get(key) ?? 0) + 1)
      }
      if (at >= seq) break
    }
    if (counted.size >= asked || performance.now() > late) break
    await pause(100)
  }
  const twice = [...counted].filter(([, times]) => times !== 1)
  if (counted.size !== asked || twice.length > 0)
    throw new Error(`${asked} hooks, ${counted.size} in the journal, not once: ${twice.slice(0, 5)}`)
}

type Name = 'hook' | 'echo' | 'relayed' | 'host' | 'near' | 'route'

const measured = async (
  { agents: count, calls, slices }: HooksSize,
  agents: readonly Agent[],
  floor: {
    readonly echo: number
    readonly relays: readonly number[]
    readonly socket: string
    readonly route: string
  },
  host: string,
) => {
  const times: Record<Name, number[][]> = { hook: [], echo: [], relayed: [], host: [], near: [], route: [] }
  for (let slice = 0; slice < slices + 1; slice++) {
    const asks = (port: (at: number) => number): Ask[] =>
      agents.map((agent, at) => ({
        target: { port: port(at) },
        request: requestOf(agent, `s${slice}`),
      }))
    const near = (path: string): Ask[] =>
      agents.map((agent) => ({ target: { path }, request: askedOf(agent, `n${slice}`) }))
    const turns: Record<Name, Ask[]> = {
      echo: asks(() => floor.echo),
      hook: asks((at) => agents[at]?.port ?? 0),
      relayed: asks((at) => floor.relays[at] ?? 0),
      host: near(host),
      near: near(floor.socket),
      route: near(floor.route),
    }
    for (const name of Object.keys(turns) as Name[]) {
      const took = await load(turns[name], count, calls)
      if (slice > 0) times[name].push(took)
    }
  }
  return (name: Name, p: number): number => median(times[name].map((slice) => percentile(slice, p)))
}

export const hookCallRows = async (size: HooksSize): Promise<Row[]> => {
  const ground = takeGround()
  const floors: Program[] = []
  try {
    const { exit, err } = agency(ground, 'up', '--detach')
    if (exit !== 0) throw new Error(err)
    const agents = await launchAll(ground, size.agents)
    const [socket, route] = ['echo', 'route'].map((name) => join(ground.root, '..', `${name}.sock`)) as [
      string,
      string,
    ]
    const floor = async (...words: string[]): Promise<number> => {
      const started = await start(['build/parrot.js', ...words], ground.env)
      floors.push(started)
      return Number(started.line)
    }
    const echo = await floor(socket)
    await floor('--route', route)
    const relays: number[] = []
    for (let left = size.agents; left > 0; left -= 1) relays.push(await floor('--before', socket))
    const { path } = await hostSocket(ground.root)
    const at = await measured(size, agents, { echo, relays, socket, route }, path)
    await checkJournal(ground, 2 * (size.slices + 1) * (size.calls + size.agents))
    const what = `${size.calls} hooks of ${size.agents} agents`
    const row = (
      word: string,
      p: number,
      name: Exclude<Name, 'hook' | 'host'>,
      floorName: string,
      limit: object,
    ): Row => ({
      name: `${what}, ${word}`,
      value: at(name === 'near' || name === 'route' ? 'host' : 'hook', p),
      floor: at(name, p),
      floorName,
      unit: 'ms',
      ...limit,
    })
    return (['median', 'p99'] as const).flatMap((word) => {
      const p = word === 'p99' ? 99 : 50
      return [
        row(word, p, 'relayed', `an echo behind ${size.agents} relays`, { limit: 2 }),
        row(word, p, 'echo', 'a bare echo', {}),
        row(`in the host, ${word}`, p, 'route', 'an echo route of the host', {}),
        row(`in the host, ${word}`, p, 'near', 'a bare echo', { limit: 2 }),
      ]
    })
  } finally {
    for (const each of floors) await end(each)
    agency(ground, 'kill', '--all')
    ground.remove()
  }
}
