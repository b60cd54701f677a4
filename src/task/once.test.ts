// Whatever happens, and whenever the host dies: a task is typed once, what is told of it is true, and it ends.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRepeated } from '../agent/rules.ts'
import { AgencyError } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { HookEvent } from '../driver/schema.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import { closeMessages } from '../message/box.ts'
import { openDesk } from '../message/desk.ts'
import { next } from '../message/next/rules.ts'
import { changeOf, launchFact, recovered } from '../session/record/rules.ts'
import type { SessionRecord } from '../session/record/schema.ts'
import { deadline, hear, isOver, launched } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { openBook } from './book.ts'
import { forgetFact, isFinal, messageIdOf, queueFact, refusalOf } from './rules.ts'
import type { Task } from './schema.ts'
import { tasksOf } from './terminal.ts'

type Step =
  | { readonly kind: 'give'; readonly timeout?: number }
  | { readonly kind: 'continue' }
  /** It waited for an agent; the host may die before it knows that the claim is stored. */
  | { readonly kind: 'claim'; readonly timeout?: number; readonly dies?: boolean }
  | { readonly kind: 'deliver' | 'hooks arrive' | 'lines arrive'; readonly dies?: boolean }
  | { readonly kind: 'time'; readonly ms: number }
  | {
      readonly kind:
        | 'cancel'
        | 'turn speaks'
        | 'turn ends'
        | 'turn fails'
        | 'a person presses Esc'
        | 'a person prompts'
        | 'the host dies'
        | 'the session ends'
    }

const plain = [
  'cancel',
  'turn speaks',
  'turn ends',
  'turn fails',
  'a person presses Esc',
  'a person prompts',
  'the host dies',
] as const
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constant<Step>({ kind: 'give' }), weight: 2 },
  { arbitrary: fc.constant<Step>({ kind: 'give', timeout: 10 }), weight: 1 },
  { arbitrary: fc.constant<Step>({ kind: 'continue' }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      timeout: fc.constantFrom(10, 600),
      dies: fc.boolean(),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('deliver' as const), dies: fc.boolean() }), weight: 3 },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('hooks arrive', 'lines arrive'), dies: fc.boolean() }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(10, 4000, 20_000, 61_000),
    }),
    weight: 2,
  },
  { arbitrary: fc.constantFrom(...plain).map((kind): Step => ({ kind })), weight: 8 },
)

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 1e9 })
const where = { session: 's', cwd: '/', transcript: '/t' }
const quiet = (): void => {}
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as unknown as Log
/** A few turns of the loop: what is stored and pressed is done then. */
const settled = async (): Promise<void> => {
  for (let more = 4; more > 0; more -= 1) await new Promise((resolve) => setImmediate(resolve))
}

const world = async () => {
  let at = 1
  const now = (): number => at
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(at) })
  const launch = { agent: 'coder', managed: true, cwd: '/', overrides: {}, turns: 0, usage: born.usage }
  await store.append([launchFact('s', launch)])

  // The agent: one turn at a time, the rest queued. It outlives the host, as its keeper does.
  const typed: string[] = []
  const pressed: string[] = []
  const turnOf = new Map<string, string>()
  const stopped = new Set<string>()
  const queue: string[] = []
  /** What nobody has heard yet. The agent waits for its hooks; the transcript is read when it is read. */
  const hooks: Signal[] = []
  const lines: Signal[] = []
  let running: string | undefined
  let spoken = false
  let turns = 0
  const hook = (event: object) => hooks.push({ from: 'hook', event: { ...where, ...event } as HookEvent })
  const line = (event: object) => lines.push({ from: 'transcript', event } as Signal)
  const headed = (id: string | undefined) => (id === undefined ? {} : { header: { id, sender: 'agency' } })
  const enter = (id: string | undefined, queued: boolean): void => {
    turns += 1
    running = `turn-${turns}`
    spoken = false
    if (id !== undefined) turnOf.set(id, running)
    const said = { kind: 'prompted', text: id ?? '', origin: 'message', ...headed(id), turn: running }
    if (!queued) hook({ ...said, reads: [] })
    line(said)
  }
  const type = (id: string): void => {
    typed.push(id)
    if (running === undefined) enter(id, false)
    else {
      hook({ kind: 'prompted', text: id, origin: 'message', reads: [], ...headed(id), turn: running })
      line({ kind: 'queued', text: id, ...headed(id) })
      queue.push(id)
    }
  }
  const leave = (): void => {
    running = undefined
    const id = queue.shift()
    if (id === undefined) return
    line({ kind: 'unqueued', entered: false })
    enter(id, true)
  }
  /** Nothing tells of it before the turn has said anything. */
  const interrupt = (): void => {
    if (running === undefined) return
    if (spoken) line({ kind: 'interrupted' })
    leave()
  }
  const keeper = {
    status: async () => ({ stamp: 0, hooksWaiting: hooks.length }),
    type: async ({ key }: { key: string }) => {
      if (pressed.includes(key)) return { typed: 'before' }
      if (hooks.length > 0) return { typed: 'refused' }
      pressed.push(key)
      interrupt()
      return { typed: 'now' }
    },
  } as unknown as Keeper

  /** Kept with the place up to which the transcript was heard. */
  let place: Pick<Session, 'told' | 'fresh'> = {}

  // The host: all that it knows beyond the store dies with it.
  const begin = async () => {
    let unwritten: Fact[] = []
    let dead = false
    const record = (...facts: readonly Fact[]): void => {
      if (!dead) unwritten.push(...facts)
    }
    const written = async (): Promise<boolean> => {
      const facts = unwritten
      unwritten = []
      if (facts.length > 0) await store.append(facts)
      return true
    }
    const kept = (await store.load('session:s'))?.state as SessionRecord
    const since = Date.parse(kept.since)
    let session: Session = { ...recovered(born, kept, { asked: [], since }), ...place, started: true }
    const inherited = session.turn
    const desk = await openDesk({ store, record, now })
    const book = await openBook({ store, record })
    const box = desk.box('coder')
    const tell = (signal: Signal): void => {
      const before = session
      box.hear(signal, before)
      session = hear(before, signal, at)
      const fact = changeOf('s', before, session)
      if (fact !== undefined) record(fact)
      box.follow(session)
      tasks.look()
    }
    const tasks = tasksOf({
      prompt: async () => 'x',
      agent: 'coder',
      book,
      desk,
      session: () => session,
      keeper: () => keeper,
      driver: { stop: { interrupt: { keys: '\u001b', signal: 'SIGINT' }, end: 'SIGTERM' } },
      tell,
      now,
      written,
      log,
    })
    const unsent = (): void => {
      for (const { id, life } of box.messages())
        if (life === 'sent' && !typed.includes(id)) box.tell(id, { from: 'untyped' })
    }
    unsent()
    return {
      tasks,
      book,
      box,
      tell,
      written,
      session: () => session,
      knows: (signal: Signal) =>
        signal.from === 'hook' && isRepeated(signal.event, session, box.messages(), inherited),
      die: () => {
        dead = true
        tasks.close()
      },
    }
  }
  let host = await begin()

  const restart = async (): Promise<void> => {
    host.die()
    host = await begin()
  }
  /** A hook is answered when what it told is on the disk: one that was not is told again. */
  const arrive = async (pending: Signal[], dies = false): Promise<void> => {
    for (let signal = pending[0]; signal !== undefined; signal = pending[0]) {
      if (!host.knows(signal)) host.tell(signal)
      await host.written()
      if (dies) return restart()
      pending.shift()
      const { told, fresh } = host.session()
      if (signal.from === 'transcript')
        place = { ...(told !== undefined && { told }), ...(fresh && { fresh }) }
      at += 1
    }
  }
  const deliver = async (dies: boolean): Promise<void> => {
    const found = next(host.box.messages(), host.session(), at)
    if (found.kind !== 'send' || hooks.length > 0) return
    host.box.tell(found.message.id, { from: 'sending', session: 's' })
    await host.written()
    if (dies) return restart()
    type(found.message.id)
  }
  const refused = (error: unknown): void => {
    if (!(error instanceof AgencyError)) throw error
  }
  let waited = 0
  const claim = async (timeout: number, dies: boolean): Promise<void> => {
    waited += 1
    const select = { agent: 'coder' }
    const [id, of] = [`task-w${waited}`, { session: 'none', preview: '', digest: 'd', select }]
    // It has waited longer than it may take: that is not counted.
    const task: Task = { id, ...of, at: at - 700_000, timeout, state: 'queued', prompts: 1, asked: {} }
    await store.append([queueFact(task)])
    host.book.put(task)
    const free = host.tasks.freeSince() !== undefined
    const claimed = host.tasks.claim(task)
    if (dies) {
      await claimed
      await restart()
    }
    expect(await claimed).toBe(free)
    // Nobody else is there: it is taken back, so that the next one does not find it.
    if (!free) await store.append([forgetFact(task)])
    if (!free) host.book.forget([id])
  }
  const over = async (): Promise<void> => {
    await arrive(hooks)
    await arrive(lines)
    running = undefined
    queue.length = 0
    closeMessages(host.box, host.session(), true)
    host.tell({ from: 'keeper', event: { kind: 'lost' } })
    await host.written()
  }
  const clock = (): void => {
    const due = deadline(host.session())
    if (due !== undefined && at >= due) host.tell({ from: 'clock' })
    host.tasks.look()
  }

  const play = async (one: Step): Promise<void> => {
    at += one.kind === 'time' ? one.ms : 1
    switch (one.kind) {
      case 'give':
        await host.tasks
          .give({ prompt: 'x', ...(one.timeout !== undefined && { timeout_seconds: one.timeout }) })
          .catch(refused)
        break
      case 'continue': {
        const latest = host.book.latest('coder')
        if (latest !== undefined) await host.tasks.proceed(latest.id, { prompt: 'more' }).catch(refused)
        break
      }
      case 'claim':
        await claim(one.timeout ?? 600, one.dies === true)
        break
      case 'cancel': {
        const open = host.tasks.current()
        if (open !== undefined) await host.tasks.cancel(open.id)
        break
      }
      case 'deliver':
        await deliver(one.dies === true)
        break
      case 'hooks arrive':
        await arrive(hooks, one.dies)
        break
      case 'lines arrive':
        if (hooks.length === 0) await arrive(lines, one.dies)
        break
      case 'turn speaks':
        if (running !== undefined) line({ kind: 'said', text: 'Well.' })
        spoken = true
        break
      case 'turn ends':
        if (running === undefined) break
        stopped.add(running)
        hook({ kind: 'turn_ended', again: false, last: 'Done.', background: [], turn: running })
        leave()
        break
      case 'turn fails':
        if (running === undefined) break
        hook({ kind: 'turn_failed', error: 'server_error', last: '', turn: running })
        leave()
        break
      case 'a person presses Esc':
        interrupt()
        host.tell({ from: 'keeper', event: { kind: 'typed', key: 'escape' } })
        break
      case 'a person prompts':
        if (running === undefined) enter(undefined, false)
        break
      case 'the host dies':
        await restart()
        break
      case 'the session ends':
        await over()
        break
      case 'time':
        if (one.ms > 60_000 && running === undefined)
          hook({ kind: 'notified', type: 'idle_prompt', text: '' })
        if (one.ms > 3000 && hooks.length === 0) await arrive(lines)
        clock()
    }
    await settled()
  }
  return {
    play,
    typed,
    tasks: async () => (await host.tasks.page({ limit: 1000, page: 1 })).tasks,
    isOver: () => isOver(host.session()),
    refuses: () => refusalOf(host.session(), host.tasks.current()?.id, at),
    /** What the agent itself would say. */
    waits: (task: Task) => queue.includes(messageIdOf(task)),
    runs: (task: Task) => {
      const id = messageIdOf(task)
      return queue.includes(id) || (running !== undefined && turnOf.get(id) === running)
    },
    cameToItsEnd: (task: Task) => stopped.has(turnOf.get(messageIdOf(task)) ?? ''),
    close: async () => {
      host.die()
      await store.close()
    },
  }
}

/** A task is typed behind the turn of a person, whom a host before has heard. */
const behind: readonly [Step[], boolean][] = [
  [[{ kind: 'a person prompts' }, { kind: 'deliver', dies: false }, { kind: 'cancel' }], false],
  [
    [
      { kind: 'a person prompts' },
      { kind: 'hooks arrive' },
      { kind: 'the host dies' },
      { kind: 'deliver', dies: false },
      { kind: 'turn ends' },
    ],
    true,
  ],
]

/** Of a turn that Esc ended before it said anything nobody tells; what looks like a sign of it is not one. */
const silent: readonly [Step[], boolean][] = [
  [
    [{ kind: 'deliver' }, { kind: 'hooks arrive', dies: true }, { kind: 'hooks arrive' }, { kind: 'cancel' }],
    false,
  ],
  [
    [
      { kind: 'deliver' },
      { kind: 'hooks arrive' },
      { kind: 'lines arrive' },
      { kind: 'turn speaks' },
      { kind: 'turn ends' },
      { kind: 'hooks arrive' },
      { kind: 'the host dies' },
      { kind: 'give' },
      { kind: 'deliver' },
      { kind: 'hooks arrive' },
      { kind: 'cancel' },
      { kind: 'lines arrive' },
    ],
    false,
  ],
]

const heard: readonly Step[] = [{ kind: 'hooks arrive' }, { kind: 'lines arrive' }]
const cut: readonly Step[] = [
  { kind: 'deliver' },
  ...heard,
  { kind: 'turn speaks' },
  { kind: 'cancel' },
  { kind: 'time', ms: 20_000 },
  ...heard,
]
/** Cancelled, continued, and cancelled once more: each Esc is another key. */
const again: readonly [Step[], boolean][] = [[[...cut, { kind: 'continue' }, ...cut], false]]

test('never completed before its end, never cancelled while it runs, never twice, and it ends', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, gone) => {
      const at = await world()
      const known = new Set<string>()
      const finals = new Map<string, Task['state']>()
      const check = async (): Promise<void> => {
        const tasks = await at.tasks()
        expect(new Set(at.typed).size).toBe(at.typed.length)
        expect(tasks.filter((task) => !isFinal(task)).length).toBeLessThan(2)
        const here = new Set(tasks.map(({ id }) => id))
        for (const id of known) expect([id, here.has(id)]).toEqual([id, true])
        for (const id of here) known.add(id)
        for (const task of tasks) {
          // Continued, it ends once more.
          const prompt = messageIdOf(task)
          const before = finals.get(prompt)
          if (before !== undefined) expect([task.id, task.state]).toEqual([task.id, before])
          if (!isFinal(task)) continue
          if (before === undefined) expect([task.state, at.runs(task)]).toEqual([task.state, false])
          if (task.state === 'completed') expect(at.cameToItsEnd(task)).toBe(true)
          if (task.select !== undefined) seen.add('claimed')
          if (task.prompts !== undefined) seen.add('continued')
          seen.add(task.error === undefined ? task.state : `${task.state}: ${task.error.type}`)
          finals.set(prompt, task.state)
        }
      }
      try {
        for (const one of [{ kind: 'give' } as const, ...steps]) {
          await at.play(one)
          await check()
        }
        // Nobody need wait for the agent to say that it has been idle for a minute.
        for (let more = 3; more > 0; more -= 1) {
          await at.play({ kind: 'hooks arrive' })
          for (const ms of [16_000, 4000]) await at.play({ kind: 'time', ms })
          if (!at.isOver()) await at.play({ kind: 'deliver', dies: false })
          await check()
        }
        const left = (await at.tasks()).filter((task) => task.wish !== undefined && !isFinal(task))
        expect(left.filter((task) => !at.waits(task))).toEqual([])
        // Left alone, or with its session gone, everything ends.
        if (gone) await at.play({ kind: 'the session ends' })
        for (let more = 12; more > 0; more -= 1) {
          // Whatever it has gone through, what is over can be continued, and that ends too.
          if (more === 6 && !at.isOver())
            for (const kind of ['hooks arrive', 'continue', 'deliver'] as const) await at.play({ kind })
          for (const kind of ['hooks arrive', 'turn ends', 'hooks arrive', 'lines arrive'] as const)
            await at.play({ kind })
          await at.play({ kind: 'time', ms: 61_000 })
          if (!at.isOver()) await at.play({ kind: 'deliver', dies: false })
          await check()
        }
        expect((await at.tasks()).filter((task) => !isFinal(task))).toEqual([])
        if (!at.isOver()) expect(at.refuses()).toBeUndefined()
      } finally {
        await at.close()
      }
    }),
    { numRuns: 300, seed: 7, examples: [...behind, ...silent, ...again] },
  )
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      'cancelled',
      'claimed',
      'completed',
      'continued',
      'failed: claude_error',
      'failed: timeout',
      'interrupted: interrupted',
    ]),
  )
}, 120_000)
