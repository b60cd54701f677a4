// Twenty messages a round to an agent that starts, thinks, uses tools, asks for permission, compacts, is stopped,
// resumed and killed. Each arrives once, whole, in the order of its lane, and what is told of it is true.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chance } from './chance.ts'
import { demand } from './demand.ts'
import { journalOf } from './journal.ts'
import { entriesIn, judge } from './message/judge.ts'
import { planRound, type Round, type Step, scenarioOf, trace } from './message/plan.ts'
import { name, openStage, type Stage, until } from './message/stage.ts'

export type Delivered = {
  readonly rounds: number
  readonly sent: number
  readonly dialogs: number
  readonly hosts: number
  readonly keepers: number
  readonly resumed: number
  readonly compacted: number
  /** How the messages entered: began a turn, queued behind one, absorbed by one. */
  readonly typed: number
  readonly queued: number
  readonly absorbed: number
  readonly lives: number
  readonly seconds: number
}

export type MessageOptions = {
  readonly seed: number
  readonly rounds: number
  /** Messages in a round. */
  readonly count?: number
  /** How many agents, each with a host and root of its own, share the rounds. */
  readonly stages?: number
  /** Does wrong what agency must not, for the test of this loop. */
  readonly sabotage?: (stage: Stage) => Promise<void>
  readonly say?: (line: string) => void
}

type Count = { -readonly [K in keyof Delivered]: number }
const nothing = (): Count => ({
  rounds: 0,
  sent: 0,
  dialogs: 0,
  hosts: 0,
  keepers: 0,
  resumed: 0,
  compacted: 0,
  typed: 0,
  queued: 0,
  absorbed: 0,
  lives: 0,
  seconds: 0,
})

const dialog = /Do you want to proceed\?/
const asked = (screen: string): string | undefined => [...screen.matchAll(/touch asked-(\w+)/g)].at(-1)?.[1]

/** A person who answers each dialog as planned, some time after it came up. */
const attendant = (
  stage: Stage,
  letters: ReadonlyMap<string, { yes: boolean; takes: number }>,
  count: Count,
) => {
  const allowed = new Set<string>()
  let over = false
  const answer = async (): Promise<void> => {
    const id = asked(await stage.screen())
    if (id === undefined) return
    const { yes, takes } = letters.get(id) ?? { yes: false, takes: 60_000 }
    for (const due = performance.now() + takes; !over && performance.now() < due; ) await pause(50)
    // A dialog that was just drawn is deaf for a moment: pressed again until it is gone.
    while (!over && dialog.test(await stage.screen())) {
      if (asked(await stage.screen()) !== id) return
      if (yes) allowed.add(id)
      await stage.type(yes ? '1' : '\u001b')
      count.dialogs += 1
      for (let tries = 0; tries < 20 && dialog.test(await stage.screen()); tries += 1) await pause(25)
    }
  }
  const watch = async (): Promise<void> => {
    for (; !over; await pause(100)) {
      try {
        if (dialog.test(await stage.screen())) await answer()
      } catch {
        // Its keeper was killed meanwhile, or is not there yet.
      }
    }
  }
  const watching = watch()
  return {
    allowed,
    close: () => {
      over = true
      return watching
    },
  }
}

const open = async (stage: Stage): Promise<number> =>
  (await stage.list()).filter(({ life }) => life !== 'ended').length

const resume = (stage: Stage): Promise<unknown> =>
  until('the session to be resumed', async () => {
    const { code, said } = await stage.command('session', 'resume', name)
    if (code !== 0 && !/still|in use|running|host/i.test(said)) throw new Error(said)
    return code === 0
  })

/** What goes on beside the sending: a host that starts, a session that is resumed. */
type Aside = { current: Promise<unknown> }

const act = async (stage: Stage, step: Step, aside: Aside, count: Count): Promise<void> => {
  if (step.do === 'rest') return void (await pause(step.ms))
  if (step.do === 'until') {
    for (let tries = 0; tries < 15; tries += 1) {
      const entry = await stage.agent().catch(() => undefined)
      if (entry?.state === step.state) return
      await pause(100)
    }
    return
  }
  if (step.do === 'send') {
    count.sent += 1
    return stage.send(step.letter)
  }
  await aside.current
  switch (step.do) {
    case 'kill host':
      count.hosts += 1
      await stage.killHost()
      aside.current = stage.command('up', '--detach')
      return
    case 'kill keeper':
      count.keepers += 1
      await stage.killKeeper()
      aside.current = resume(stage)
      return
    case 'stop':
      count.resumed += 1
      await stage.command('stop', name)
      aside.current = resume(stage)
      return
    case 'compact':
      count.compacted += 1
      await until('all to be read before it compacts', async () => (await open(stage)) === 0)
      await until('the agent to be idle', async () => (await stage.agent())?.state === 'idle')
      await stage.type('/compact')
      await until('the command to be seen', async () => /❯ \/compact/.test(await stage.screen()))
      await stage.type('\r')
  }
}

const settle = async (stage: Stage, { letters }: Round): Promise<void> => {
  let left = ''
  await until('every message to have ended', async () => {
    const all = await stage.list()
    const open = all.filter(({ id, life }) => life !== 'ended' && letters.some((letter) => letter.id === id))
    left = open.map(({ id, life, waits, reason }) => `${id} ${life} (${waits ?? reason ?? '-'})`).join(', ')
    return open.length === 0
  }).catch(async (error: Error) => {
    const entry = await stage.agent().catch(() => undefined)
    throw new Error(`${error.message}; the agent is ${entry?.text ?? 'gone'}; left: ${left}`)
  })
}

/** Processes whose environment names this place. */
const processesIn = (place: string): readonly string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(place)
      } catch {
        return false // Gone already, or another user's.
      }
    })

const check = async (stage: Stage, rounds: readonly Round[], allowed: ReadonlySet<string>, count: Count) => {
  const { work, directory, ground } = stage
  await until('an agent that nobody ended to be idle', async () => (await stage.agent())?.state === 'idle')
  await stage.command('kill', '--all')
  const letters = rounds.flatMap((round) => round.letters)
  const events = await journalOf(ground.root)
  const lines = stage.transcript()
  const file = (id: string): string | undefined => {
    const path = join(directory, 'messages', `${id}.md`)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const faults = judge({ letters, lines, events, file })
  demand(faults.length === 0, faults.slice(0, 5).join('; '))
  const left = readdirSync(work)
  const pwned = left.filter((one) => one.startsWith('pwned'))
  demand(pwned.length === 0, `a message ran a command: ${pwned.join(', ')}`)
  const taken = left
    .flatMap((file) => (file.startsWith(trace('')) ? [file.slice(trace('').length)] : []))
    .filter((id) => !allowed.has(id))
  demand(taken.length === 0, `a call ran that nobody allowed: ${taken.join(', ')}`)
  const running = await until('all processes to be gone', async () => {
    const found = processesIn(dirname(ground.root))
    return found.length === 0 ? found : undefined
  })
  demand(running.length === 0, 'processes are left')
  for (const { how } of entriesIn(lines)) count[how] += 1
  count.lives += events.filter(({ type }) => type === 'message.changed').length
}

const perform = async (
  rounds: readonly Round[],
  count: Count,
  { sabotage, say = () => {} }: MessageOptions,
): Promise<void> => {
  const stage = await openStage(scenarioOf(rounds))
  const letters = new Map(rounds.flatMap((round) => round.letters).map((letter) => [letter.id, letter]))
  const person = attendant(stage, letters, count)
  let now = 'launch'
  try {
    const { code, said } = await stage.command('run', '--role', 's', '--name', name, '--detach')
    demand(code === 0, said)
    for (const round of rounds) {
      now = round.letters[0]?.id ?? ''
      const before = performance.now()
      const aside: Aside = { current: Promise.resolve() }
      for (const step of round.steps) await act(stage, step, aside, count)
      await aside.current
      await settle(stage, round)
      await sabotage?.(stage)
      count.rounds += 1
      say(
        `round ${now.slice(0, -3)}: ${round.letters.length} messages in ${((performance.now() - before) / 1000).toFixed(1)} s`,
      )
    }
    now = 'the end'
    await check(stage, rounds, person.allowed, count)
  } catch (error) {
    throw new Error(`${now}: ${(error as Error).message}`)
  } finally {
    await person.close()
    await stage.command('kill', '--all')
    stage.ground.remove()
  }
}

export const deliver = async (options: MessageOptions): Promise<Delivered> => {
  const { seed, rounds, stages = 6, count: letters } = options
  const dice = chance(seed)
  const all = Array.from({ length: rounds }, (_, at) =>
    planRound(dice, `r${String(at + 1).padStart(2, '0')}`, letters),
  )
  const count = nothing()
  const before = performance.now()
  const shares = Array.from({ length: Math.min(stages, rounds) }, (_, share) =>
    all.filter((_, at) => at % stages === share),
  )
  const done = await Promise.allSettled(shares.map((share) => perform(share, count, options)))
  const failed = done.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []))
  if (failed.length > 0) throw new Error(`seed ${seed}, ${failed.join('\n')}`)
  return { ...count, seconds: (performance.now() - before) / 1000 }
}
