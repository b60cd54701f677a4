import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Event } from '../journal/schema.ts'
import { changeFact, fresh, openFact, reduceReview } from './record/rules.ts'
import { hear } from './rules.ts'
import {
  type Answers,
  type Input,
  type Review,
  type Setting,
  type Signal,
  review as schema,
} from './schema.ts'
import { settingOf } from './setting/rules.ts'

const start = 1_000_000
const hashOf = (text: string): string => {
  const digits = [...text].map((one) => one.charCodeAt(0).toString(16)).join('')
  return digits.padEnd(64, '0').slice(0, 64)
}
const inputOf = (name: string): Input => ({ value: { name }, sha256: hashOf(name), size: 2 })

/** What can happen to a session. Only `decide` and `person` are what an agent cannot do. */
type Step =
  | { do: 'start'; source: string }
  | { do: 'prompt'; text: string; person: boolean }
  | { do: 'gate'; input: string; call: string; tree: string }
  | { do: 'stop'; background: boolean; tree: string }
  | { do: 'begin' }
  | { do: 'fail' }
  | { do: 'spawn'; reviewer: string }
  | { do: 'leave'; reviewer: string }
  | { do: 'slip' }
  | { do: 'end' }
  | { do: 'clock'; ms: number }
  /** A secret that was guessed, replayed, or is that of another session; an attempt that is not at work. */
  | { do: 'forge'; kind: 'process' | 'subagent'; replay: number }
  | { do: 'decide'; verdict: 'COMPLETE' | 'ISSUES'; tree: string }
  | { do: 'person'; verdict: 'COMPLETE' | 'ISSUES' }

const few = (...all: string[]) => fc.constantFrom(...all)
const anybody = fc.oneof(
  fc.record({ do: fc.constant('start' as const), source: few('startup', 'resume', 'compact', 'clear') }),
  fc.record({ do: fc.constant('prompt' as const), text: few('#roz go', 'go'), person: fc.boolean() }),
  fc.record({
    do: fc.constant('gate' as const),
    input: few('i', 'j'),
    call: few('c1', 'c2', ''),
    tree: few('t1', 't2'),
  }),
  fc.record({ do: fc.constant('stop' as const), background: fc.boolean(), tree: few('t1', 't2') }),
  fc.record({ do: fc.constant('begin' as const) }),
  fc.record({ do: fc.constant('fail' as const) }),
  fc.record({ do: fc.constant('spawn' as const), reviewer: few('a', 'b') }),
  fc.record({ do: fc.constant('leave' as const), reviewer: few('a', 'b') }),
  fc.record({ do: fc.constant('slip' as const) }),
  fc.record({ do: fc.constant('end' as const) }),
  fc.record({ do: fc.constant('clock' as const), ms: fc.integer({ min: -900_000, max: 900_000 }) }),
  fc.record({
    do: fc.constant('forge' as const),
    kind: fc.constantFrom('process' as const, 'subagent' as const),
    replay: fc.nat(5),
  }),
) as fc.Arbitrary<Step>
const reviewers = fc.oneof(
  fc.record({
    do: fc.constant('decide' as const),
    verdict: fc.constantFrom('COMPLETE' as const, 'ISSUES' as const),
    tree: few('t1', 't2'),
  }),
  fc.record({
    do: fc.constant('person' as const),
    verdict: fc.constantFrom('COMPLETE' as const, 'ISSUES' as const),
  }),
) as fc.Arbitrary<Step>
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: anybody }, { weight: 2, arbitrary: reviewers }), {
  maxLength: 60,
})

const settings: fc.Arbitrary<Setting> = fc
  .record({
    mode: fc.constantFrom('prompt' as const, 'always' as const, 'never' as const),
    reviewer: fc.constantFrom('process' as const, 'subagent' as const),
    scope: fc.constantFrom('session' as const, 'prompt' as const, 'tool' as const),
    ttl: fc.constantFrom(undefined, 60),
    blocks: fc.constantFrom(1, 3),
    bind: fc.boolean(),
  })
  .map(({ mode, reviewer, scope, ttl, blocks, bind }) =>
    settingOf(
      {
        mode,
        reviewer,
        gates: {
          tools: ['Bash'],
          approval_scope: scope,
          ...(ttl !== undefined && { approval_ttl_seconds: ttl }),
        },
        circuit_breaker: { max_blocks: blocks },
        bind_tree: bind,
      },
      undefined,
    ),
  )

/** A session that these steps happen to, with all that was answered. */
const live = (setting: Setting) => {
  let review: Review = fresh('s', start)
  let now = start
  let count = 0
  const used: string[] = []
  const name = (): string => {
    count += 1
    return `r${count}`
  }
  const tell = <From extends Signal['from']>(signal: Extract<Signal, { from: From }>): Answers[From] => {
    const heard = hear<From>(review, signal, setting, now)
    review = heard.review
    return heard.answer
  }
  const working = () =>
    review.attempts.findLast((each) => each.outcome === 'pending' && each.begun !== undefined)
  const decide = (verdict: 'COMPLETE' | 'ISSUES', tree: string): Answers['decided'] => {
    const attempt = working()
    if (attempt === undefined) return 'not_permitted'
    used.push(attempt.secret ?? attempt.id)
    const said = { verdict, summary: 's', tree }
    return tell<'decided'>({
      from: 'decided',
      said,
      by:
        attempt.by === 'process'
          ? { kind: 'process', attempt: attempt.id }
          : { kind: 'subagent', secret: attempt.secret ?? '' },
    })
  }
  const forge = (kind: 'process' | 'subagent', replay: number): Answers['decided'] => {
    const old = used[replay] ?? hashOf('guess')
    const by = kind === 'process' ? { kind, attempt: old } : { kind, secret: old }
    return tell<'decided'>({ from: 'decided', said: { verdict: 'COMPLETE', summary: 'ok' }, by })
  }
  const take = (step: Step): unknown => {
    switch (step.do) {
      case 'start':
        return tell<'started'>({ from: 'started', source: step.source })
      case 'prompt':
        return tell<'prompted'>({ from: 'prompted', text: step.text, person: step.person })
      case 'gate':
        return tell<'gated'>({
          from: 'gated',
          call: step.call,
          tool: 'Bash',
          input: inputOf(step.input),
          pattern: 'Bash',
          tree: step.tree,
          attempt: name(),
        })
      case 'stop':
        return tell<'stopped'>({
          from: 'stopped',
          again: false,
          background: step.background,
          tree: step.tree,
          template: { id: 'v1', text: 't' },
          attempt: name(),
        })
      case 'begin':
        return tell<'begun'>({ from: 'begun', attempt: name() })
      case 'fail':
        return tell<'failed'>({ from: 'failed', attempt: working()?.id ?? 'r0', why: 'w' })
      case 'spawn': {
        const id = name()
        return tell<'spawned'>({
          from: 'spawned',
          reviewer: step.reviewer,
          secret: hashOf(`s${id}`),
          attempt: id,
        })
      }
      case 'leave':
        return tell<'left'>({ from: 'left', reviewer: step.reviewer })
      case 'slip':
        return tell<'slipped'>({ from: 'slipped', secret: working()?.secret ?? hashOf('x') })
      case 'end':
        return tell<'ended'>({ from: 'ended', reason: 'other' })
      case 'clock':
        now += step.ms
        return undefined
      case 'forge':
        return forge(step.kind, step.replay)
      case 'decide':
        return decide(step.verdict, step.tree)
      case 'person':
        return tell<'decided'>({
          from: 'decided',
          said: { verdict: step.verdict, summary: 's', tree: 't1' },
          by: { kind: 'person', name: 'ann' },
        })
    }
  }
  return { take, now: () => now, review: () => review, working }
}
type Live = ReturnType<typeof live>

const runs = { seed: 7, numRuns: 400 }
const kindOf = (answer: unknown): unknown => (answer as { kind?: unknown } | undefined)?.kind

test('never open: nothing but a verdict passes a gate, whatever is said, repeated or forged', () => {
  fc.assert(
    fc.property(settings, fc.array(anybody, { maxLength: 60 }), (setting, all) => {
      const one = live(setting)
      for (const step of all) {
        const answer = one.take(step)
        if (step.do === 'gate') expect(kindOf(answer)).toBe('closed')
        if (step.do === 'forge') expect(answer).toBe('not_permitted')
        expect(one.review().approval).toBeUndefined()
        expect(one.review().state).not.toBe('approved')
      }
    }),
    runs,
  )
})

/** The last COMPLETE as an eye-witness remembers it, who knows nothing of how reviews are kept. */
type Memory = {
  at: number
  /** By a clock that never goes back. */
  since: number
  latest: number
  tree: string
  input: string | undefined
  prompted: boolean
  over: boolean
  by: string | undefined
}

test('never wide: a gate is passed only by a verdict that covers the call', () => {
  fc.assert(
    fc.property(settings, steps, (setting, all) => {
      const one = live(setting)
      const { approval_scope: scope, approval_ttl_seconds: ttl } = setting.gates
      let memory: Memory | undefined
      for (const step of all) {
        const about = one.working()?.input ?? one.review().trigger?.input.sha256
        const asked = step.do === 'decide' ? one.working()?.input : about
        const answer = one.take(step)
        if (memory !== undefined) memory.latest = Math.max(memory.latest, one.review().changed)
        if ((step.do === 'decide' || step.do === 'person') && answer === undefined) {
          const by = undefined
          memory =
            step.verdict === 'ISSUES'
              ? undefined
              : {
                  at: one.now(),
                  since: one.review().changed,
                  latest: one.review().changed,
                  tree: step.do === 'decide' ? step.tree : 't1',
                  input: asked,
                  prompted: false,
                  over: false,
                  by,
                }
        }
        if (memory !== undefined && step.do === 'prompt' && step.person) memory.prompted = true
        if (memory !== undefined && step.do === 'end') memory.over = true
        if (step.do === 'start' && step.source === 'clear') memory = undefined
        if (step.do !== 'gate' || kindOf(answer) !== 'pass') continue
        expect(memory).toBeDefined()
        const known = memory as Memory
        expect(one.now()).toBeGreaterThanOrEqual(known.at - 5_000)
        if (ttl !== undefined) {
          expect(known.latest).toBeLessThan(known.since + ttl * 1000)
          expect(one.now()).toBeLessThan(known.at + ttl * 1000)
        }
        if (setting.bind_tree) expect(step.tree).toBe(known.tree)
        if (scope === 'prompt') expect(known.prompted).toBe(false)
        if (scope === 'session') expect(known.over).toBe(false)
        if (scope === 'tool') {
          expect(hashOf(step.input)).toBe(known.input)
          if (known.by !== undefined) expect([step.call !== '', step.call]).toEqual([true, known.by])
          known.by = step.call
        }
      }
    }),
    runs,
  )
})

/** An agent and a reviewer that do what they are asked. */
const honest = (one: Live, setting: Setting): void => {
  if (one.working() === undefined)
    one.take(setting.reviewer.kind === 'process' ? { do: 'begin' } : { do: 'spawn', reviewer: 'h' })
  one.take({ do: 'decide', verdict: 'COMPLETE', tree: 't1' })
}

test('never stuck: from wherever it is, honest work ends the turn and passes the gate', () => {
  fc.assert(
    fc.property(settings, steps, (setting, all) => {
      const one = live(setting)
      for (const step of all) one.take(step)
      let turns = 0
      while (kindOf(one.take({ do: 'stop', background: false, tree: 't1' })) !== 'pass') {
        honest(one, setting)
        turns += 1
        expect(turns).toBeLessThan(4)
      }
      expect(['idle', 'approved', 'escalated']).toContain(one.review().state)
      const gate = { do: 'gate', input: 'i', call: 'last', tree: 't1' } as const
      while (kindOf(one.take(gate)) !== 'pass') {
        honest(one, setting)
        turns += 1
        expect(turns).toBeLessThan(8)
      }
    }),
    runs,
  )
})

test('never stuck: where nobody ever reviews, the turn ends after exactly max_blocks more blocks', () => {
  fc.assert(
    fc.property(settings, steps, (setting, all) => {
      const one = live(setting)
      for (const step of all) one.take(step)
      one.take({ do: 'prompt', text: '#roz go', person: true })
      const shown: unknown[] = []
      for (let turn = 0; turn < 20; turn += 1) {
        const answer = one.take({ do: 'stop', background: false, tree: 't1' })
        if (kindOf(answer) === 'review') {
          one.take({ do: 'begin' })
          one.take({ do: 'fail' })
        } else shown.push(kindOf(answer))
        if (kindOf(answer) === 'pass') break
      }
      const blocks = shown.filter((kind) => kind === 'block').length
      expect(shown.at(-1)).toBe('pass')
      if (setting.mode !== 'never') expect(blocks).toBe(setting.circuit_breaker.max_blocks)
      if (setting.mode !== 'never') expect(one.review().state).toBe('escalated')
    }),
    runs,
  )
})

test('counts are those of the blocks that were shown since the last reason to begin anew', () => {
  fc.assert(
    fc.property(settings, steps, (setting, all) => {
      const one = live(setting)
      let shown = 0
      for (const step of all) {
        const before = one.review().state
        const answer = one.take(step)
        if (step.do === 'prompt' && step.person) shown = 0
        if (
          (step.do === 'decide' || step.do === 'person') &&
          answer === undefined &&
          step.verdict === 'COMPLETE'
        )
          shown = 0
        if (step.do === 'start' && step.source === 'clear') shown = 0
        // Cooled: it began from the beginning.
        if (step.do === 'stop' && before === 'escalated' && one.review().state !== 'escalated') shown = 0
        if (step.do === 'stop' && kindOf(answer) === 'block') shown += 1
        expect(one.review().blocks).toBe(shown)
        expect(shown).toBeLessThanOrEqual(setting.circuit_breaker.max_blocks)
      }
    }),
    runs,
  )
})

test('what is kept is what the facts fold to, and what its schema says', () => {
  fc.assert(
    fc.property(settings, steps, (setting, all) => {
      const one = live(setting)
      const asEvent = (fact: ReturnType<typeof openFact>): Event => ({
        ...JSON.parse(JSON.stringify(fact)),
        seq: 1,
        at: '2026-01-01T00:00:00.000Z',
      })
      let kept = reduceReview(undefined, asEvent(openFact(one.review())))
      for (const step of all) {
        const before = one.review()
        one.take(step)
        const fact = changeFact(before, one.review())
        if (fact !== undefined) kept = reduceReview(kept, asEvent(fact))
        expect(kept).toEqual(one.review())
      }
      expect(schema.parse(kept)).toEqual(kept)
    }),
    runs,
  )
})
