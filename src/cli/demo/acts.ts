// The acts, in the order they are played. Each proves its claim with what this very program does.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { alive } from '../../base/process/identity.ts'
import { layout } from '../../config/layout/rules.ts'
import type { Scenario } from '../../driver/scripted/scenario/schema.ts'
import { sockets } from '../trace/find.ts'
import { type Act, act, agentOf, hostOf, journal, patience, short, typesOf, untilIdle } from './act.ts'
import { play } from './agent.ts'
import { strays } from './strays.ts'

/** An agent that needs no account: its role plays what a scenario says. */
const coder = {
  role: 'name: coder\nagent_type: scripted\ninstructions: Write.\n',
  file: 'role: coder\nsandbox: { enabled: false }\n',
}

const makeRoot = act(
  'A root is one directory: settings, roles, state. `agency init` makes it.',
  'The root is readable by you alone, and every file in it is valid',
  async ({ agency, root }, insist) => {
    const made = await agency('init')
    insist(made.code === 0, short(made))
    const mode = ((await stat(root)).mode & 0o777).toString(8)
    insist(mode === '700', `its mode is ${mode}`)
    await mkdir(join(root, 'agents/coder'))
    await writeFile(join(layout(root).roles, 'coder.yaml'), coder.role)
    await writeFile(layout(root).agentConfig('coder'), coder.file)
    const valid = await agency('validate', '--all')
    insist(valid.code === 0, short(valid))
    return `mode ${mode}; ${valid.out.trim().split('\n').at(-1)}`
  },
)

const startHost = act(
  'The host runs what the root configures: here one agent, "coder". `agency start` starts it in the background.',
  '"up" means up: the process lives, and the agent is idle',
  async (stage, insist) => {
    const started = await stage.agency('start')
    insist(started.code === 0, short(started))
    const { pid } = hostOf(stage)
    const status = await stage.json('status')
    insist(status.up === true, `status says ${JSON.stringify(status)}`)
    await untilIdle(stage, insist)
    return `host pid ${pid}; agent "coder" is idle`
  },
)

const recordEvents = act(
  'Whatever happens is appended to the journal, and can be followed live.',
  'The journal tells the start of the host and of the agent, in order and without a gap',
  async (stage, insist) => {
    const found = await journal(stage, 'host.idle', 1)
    insist(
      found.some(({ type }) => type === 'component.started'),
      typesOf(found),
    )
    insist(
      found.every(({ seq }, at) => seq === at + 1),
      `places ${found.map(({ seq }) => seq).join(' ')}`,
    )
    return typesOf(found)
  },
)

const refuseInput = act(
  'Bad input is refused before anything is made, with the place and what was meant.',
  'A mistyped field, a mistyped option and a name that is a path are refused with exit 2, and nothing changes',
  async ({ agency, root, repository }, insist) => {
    const file = join(repository, 'roles/tester.yaml')
    await mkdir(join(repository, 'roles'), { recursive: true })
    await writeFile(file, 'name: tester\ninstructons: Test it.\n')
    const field = await agency('validate', file)
    insist(field.code === 2 && /tester\.yaml:2:.*did you mean instructions/.test(field.err), short(field))
    const option = await agency('run', '--rol', 'actor')
    insist(option.code === 2 && option.err.includes('Did you mean --role'), short(option))
    const name = await agency('run', '--role', 'actor', '--name', '../../outside')
    insist(name.code === 2, short(name))
    insist((await readFile(layout(root).agentConfig('coder'), 'utf8')) === coder.file, 'a file has changed')
    return field.err.split('\n')[1]?.trim() ?? ''
  },
)

const calls = (...commands: string[]): Scenario => ({
  scripts: [
    {
      replies: [
        { calls: commands.map((command) => ({ name: 'Bash', input: { command } })) },
        { text: 'That is all I could do.' },
      ],
    },
  ],
})

const watchAgent = act(
  'An agent works in the repository: a scripted one, that calls hooks as Claude Code does. A hook looks at each call.',
  'What the hook denies does not happen, although the agent may skip permissions; what it leaves alone does',
  async (stage, insist) => {
    const outcome = await play(stage, calls('echo done > allowed.txt', 'echo done > denied.txt'), (event) =>
      event.kind === 'tool_asked' && JSON.stringify(event.call.input).includes('denied')
        ? { kind: 'deny', reason: 'Not this file.' }
        : { kind: 'none' },
    )
    insist(outcome.ok, outcome.ok ? '' : `the agent ended: ${outcome.message}`)
    const made = await readdir(stage.repository)
    insist(made.includes('allowed.txt') && !made.includes('denied.txt'), `there are ${made.join(', ')}`)
    return `allowed.txt is there, denied.txt is not; ${outcome.denials.length} call denied`
  },
)

const failClosed = act(
  'And if nobody answers the hook? The listener is closed before the agent starts.',
  'No answer is never "allow": without a listener the agent does nothing',
  async (stage, insist) => {
    const outcome = await play(stage, calls('echo done > unwatched.txt'), 'deaf')
    insist(!outcome.ok && outcome.class === 'blocked', `the agent ended: ${JSON.stringify(outcome)}`)
    const made = await readdir(stage.repository)
    insist(made.includes('allowed.txt') && !made.includes('unwatched.txt'), `there are ${made.join(', ')}`)
    return 'the agent was blocked, unwatched.txt is not there'
  },
)

const role = 'name: painter\nagent_type: scripted\ninstructions: Paint.\nworktree: { enabled: true }\n'

const launchAgent = act(
  'Agents with a terminal are launched from a role; each has a keeper, and here a worktree of its own.',
  '"up" is said when the first hook has arrived: the agent is idle, supervised, in its own branch',
  async (stage, insist) => {
    const { roles } = layout(stage.root)
    await mkdir(roles, { recursive: true })
    await writeFile(join(roles, 'painter.yaml'), role)
    const launched = await stage.agency('run', '--role', 'painter', '--detach')
    insist(launched.code === 0, short(launched))
    const painter = await agentOf(stage, 'painter')
    insist(painter?.state === 'idle' && painter.managed, `the list says ${JSON.stringify(painter)}`)
    return `painter is idle, pid ${painter?.pid}, in ${painter?.cwd}`
  },
)

const surviveKill = act(
  'Now the worst: the host is killed with `kill -9`, in the middle of everything.',
  'After `kill -9` nothing is lost: the journal goes on where it was, and the agent was not even disturbed',
  async (stage, insist) => {
    const before = await journal(stage, 'host.idle', 1)
    const painter = await agentOf(stage, 'painter')
    const host = hostOf(stage)
    process.kill(host.pid, 'SIGKILL')
    const until = performance.now() + patience
    while (alive(host) && performance.now() < until) await pause(20)
    const down = await stage.json('status')
    insist(down.up === false, `status says ${JSON.stringify(down)}`)
    const started = await stage.agency('start')
    insist(started.code === 0, short(started))
    await untilIdle(stage, insist)
    const after = await journal(stage, 'host.idle', 2)
    const kept = JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before)
    insist(kept && after.some(({ type }) => type === 'host.lost'), typesOf(after))
    const same = await agentOf(stage, 'painter')
    insist(same?.pid === painter?.pid && same?.state === 'idle', `the painter is ${JSON.stringify(same)}`)
    return `${before.length} events before, the same ${before.length} and ${after.length - before.length} more after; host pid ${host.pid} → ${hostOf(stage).pid}; the painter never stopped`
  },
)

const text = '!touch typed-as-a-command'

const sayOnce = act(
  'Somebody talks to the painter. The host is killed as soon as it has taken the message, and the message is sent again.',
  'A message that was taken arrives, once, and is only text: a leading `!` runs no command',
  async (stage, insist) => {
    const sent = await stage.agency('send', 'painter', text, '--id', 'hello')
    insist(sent.code === 0, short(sent))
    process.kill(hostOf(stage).pid, 'SIGKILL')
    const again = await stage.agency('send', 'painter', text, '--id', 'hello', '--wait')
    insist(again.code === 0, short(again))
    const { messages = [] } = (await stage.json('message', 'list')) as { messages?: { life: string }[] }
    insist(messages.length === 1 && messages[0]?.life === 'ended', `there are ${JSON.stringify(messages)}`)
    const painter = await agentOf(stage, 'painter')
    insist(painter?.turns === 1, `the painter is ${JSON.stringify(painter)}`)
    const made = await readdir(painter?.cwd ?? stage.repository)
    insist(!made.includes('typed-as-a-command'), `there are ${made.join(', ')}`)
    hostOf(stage)
    return `sent twice, read once; the painter said: ${again.out.trim()}`
  },
)

const leaveNothing = act(
  'At the end everything goes, in order: `agency shutdown --all`.',
  '"ended" means ended: no process is left, and no socket answers',
  async (stage, insist) => {
    const host = hostOf(stage)
    const ended = await stage.agency('shutdown', '--all')
    insist(ended.code === 0, short(ended))
    insist(!alive(host), `pid ${host.pid} is still there`)
    const left = await strays(stage.root)
    insist(left.length === 0, `started for this root and still there: pid ${left.join(', ')}`)
    const answering = (await sockets(stage.root)).filter(({ live }) => live)
    insist(answering.length === 0, `${answering.map(({ path }) => path).join(', ')} answers`)
    return ended.out.trim().split('\n').join('; ')
  },
)

export const acts: readonly Act[] = [
  makeRoot,
  startHost,
  recordEvents,
  refuseInput,
  watchAgent,
  failClosed,
  launchAgent,
  surviveKill,
  sayOnce,
  leaveNothing,
]
