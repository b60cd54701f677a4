// npm run soak -- --seed N --rounds M [--only PART]: the long loops, each ending with a figure.
import { parseArgs } from 'node:util'
import { agents } from '../soak/agents.ts'
import { crash } from '../soak/crash.ts'
import { crowd } from '../soak/crowd.ts'
import { flood } from '../soak/flood.ts'
import { keepers } from '../soak/keepers.ts'
import { deliver } from '../soak/messages.ts'
import { race } from '../soak/race.ts'
import { toil } from '../soak/tasks.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '100' },
    only: { type: 'string' },
  },
})
const [seed, rounds] = [Number(values.seed), Number(values.rounds)]
const say = (line: string): void => console.log(`  ${line}`)

const parts: Readonly<Record<string, () => Promise<void>>> = {
  crash: async () => {
    console.log(`crash: ${rounds} rounds of kill -9 under load, seed ${seed}`)
    const { killed, acknowledged } = await crash({ seed, rounds, say })
    say(`${killed} hosts killed, ${acknowledged} acknowledged writes: none lost, none twice`)
  },
  agents: async () => {
    console.log(`agents: ${rounds} rounds of kill -9 of the host under 5 working agents, seed ${seed}`)
    const from = performance.now()
    const { killed, turns, calls, hooks, events, launches } = await agents({ seed, rounds, say })
    const seconds = Math.round((performance.now() - from) / 1000)
    say(
      `${killed} hosts killed (${launches} rounds while launching) in ${seconds} s; ${turns} turns, ${calls} calls,`,
    )
    say(`${hooks} hooks, ${events} events: the same processes, nothing denied, lost or twice, no orphan`)
  },
  keepers: async () => {
    const lost = Math.max(1, Math.round(rounds / 4))
    console.log(`keepers: ${lost} rounds of kill -9 of a keeper, seed ${seed}`)
    await keepers({ seed, rounds: lost, say })
    say('each time nothing was left, the agent was lost and went on as the same session')
  },
  messages: async () => {
    const count = values.only === undefined ? Math.max(1, Math.round(rounds / 2)) : rounds
    console.log(`messages: ${count} rounds of 20 to an agent in every state, seed ${seed}`)
    const { sent, lives, hosts, keepers: kept, ...done } = await deliver({ seed, rounds: count, say })
    say(`${sent} messages, ${lives} changes of their lives: each once, whole, in order and true;`)
    say(`${hosts} hosts and ${kept} keepers killed, ${done.resumed} stops, ${done.compacted} compactions,`)
    say(`${done.dialogs} keys to dialogs; ${(sent / done.seconds).toFixed(1)} messages a second`)
  },
  tasks: async () => {
    const kills = values.only === undefined ? rounds : rounds * 5
    console.log(`tasks: ${kills} x kill -9 under 10 headless agents and 200 tasks that wait, seed ${seed}`)
    const done = await toil({ seed, kills, say, keep: true })
    say(`${done.hosts} hosts, ${done.keepers} keepers, ${done.processes} agent processes killed;`)
    say(`${done.tasks} tasks in ${done.attempts} attempts: ${done.completed} completed,`)
    say(
      `${done.interrupted} interrupted, ${done.cancelled} cancelled; each has one result, none ran twice at once,`,
    )
    say(`none after its result, nothing is left; ${Math.round(done.seconds)} s`)
  },
  flood: async () => {
    const count = rounds * 100
    console.log(`flood: ${count} malformed requests, 20 at a time, seed ${seed}`)
    const { statuses, fds, megabytes, seconds } = await flood({ seed, count })
    const told = Object.entries(statuses).map(([status, times]) => `${times} x ${status}`)
    say(`in ${seconds} s: ${told.join(', ')}; no task made, none answered with 5xx`)
    say(`file descriptors ${fds.join(' → ')}, RssAnon ${megabytes.join(' → ')} MB`)
  },
  race: async () => {
    const races = Math.max(1, Math.round(rounds / 5))
    console.log(`race: 20 first commands in a fresh root, ${races} times`)
    await race(races)
    say('one host each time')
  },
  crowd: async () => {
    console.log('crowd: 8 processes x 2,000 appends')
    const took = await crowd(8, 2000)
    say(`16,000 appends in ${(took / 1000).toFixed(1)} s: none lost, none twice, replay equal`)
  },
}

const chosen = Object.keys(parts).filter((name) => values.only === undefined || name === values.only)
try {
  if (chosen.length === 0) throw new Error(`--only must be one of ${Object.keys(parts).join(', ')}`)
  for (const name of chosen) await parts[name]?.()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
