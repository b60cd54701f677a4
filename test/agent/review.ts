// Work counts only when somebody else has said COMPLETE: the same cases for the stand-in and the real CLI.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Approval } from '../../src/approval/schema.ts'
import type { Reply, Scenario, Script } from '../../src/driver/scripted/scenario/schema.ts'
import { tasks as api, type TaskView } from '../../src/task/api.ts'
import { bash } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask, statesOf } from './tasks.ts'

/** What every prompt to the reviewer has in it, and nothing else. */
const asked = 'is to be reviewed'
/** Files whose names are seen by the reviewer, and never spoken of by anybody else. */
const mark = 'ready.mark'

const verdict = (said: 'COMPLETE' | 'ISSUES', more: Partial<Reply> = {}): Reply => ({
  calls: [
    { name: 'StructuredOutput', input: { verdict: said, summary: 'I looked.', message: 'Make it so.' } },
  ],
  times: 0,
  ...more,
})
/** COMPLETE once it sees the mark; before that `otherwise`. */
const reviewer = (otherwise: Reply = verdict('ISSUES')): readonly Script[] => [
  { match: mark, replies: [verdict('COMPLETE')] },
  { match: asked, replies: [otherwise] },
]
const says = (match: string, ...replies: Reply[]): Script => ({ match, replies })
const runs = (command: string): Reply => ({ calls: [bash(command)] })
const done: Reply = { text: 'Done.' }
const fixes = says('Make it so', runs(`touch ${mark}`), done)
const refuses = says('Make it so', { text: 'I will not.', times: 0 })

const roleOf = (review: string): string => `permissions:\n  allow: [Bash]\nreview:\n  ${review}\n`
const always = (more = ''): string => roleOf(`{ mode: always${more} }`)
const has = (at: Stage, file: string): boolean => existsSync(join(at.cwd, file))

const terminal = async (make: Make, scripts: readonly Script[], role: string): Promise<Stage> => {
  const at = await make({ scripts: [...scripts] } satisfies Scenario, role)
  const { code, err } = await at.run('coder')
  expect(code, err).toBe(0)
  return at
}

/** As a person does, before an attached terminal. */
const types = async (at: Stage, text: string): Promise<void> => {
  const view = await (await at.keeper('coder')).attach({ stream: 'terminal', from: 0 })
  onTestFinished(() => view.close())
  const shows = (what: RegExp) => expect.poll(() => at.screen('coder'), patience).toMatch(what)
  await shows(/^❯/m)
  view.input(Buffer.from(text))
  await shows(new RegExp(`❯.*${text.slice(-6)}`))
  view.input(Buffer.from('\r'))
}

const of = async (at: Stage, type: string, field: string) =>
  (await at.journal(`review.${type}`)).map(({ data }) => data[field])
const verdicts = (at: Stage) => of(at, 'verdict_given', 'verdict')
/** What each end of a turn was answered. */
const stops = (at: Stage) => of(at, 'stop_called', 'answer')

const list = async (at: Stage, ...more: string[]): Promise<readonly Approval[]> =>
  ((await at.json(['approval', 'list', ...more])) as { approvals?: Approval[] }).approvals ?? []
const question = async (at: Stage): Promise<Approval> => {
  let seen: readonly Approval[] = []
  await expect
    .poll(async () => {
      seen = await list(at)
      return seen.length
    }, patience)
    .toBe(1)
  return seen[0] as Approval
}

const inReview = { state: 'working', text: 'working (in review)' } as const
const slow = { delay_ms: 600_000 }

const show = async (at: Stage, agent: string, id: string): Promise<TaskView> =>
  api.show.reply.parse((await ask(at, 'GET', `/agents/${agent}/task/${id}`)).body)
const comesTo = async (at: Stage, agent: string, id: string, state: string): Promise<TaskView> => {
  await expect
    .poll(async () => {
      const { state: is, error } = await show(at, agent, id)
      return is === 'failed' && state !== is ? JSON.stringify(error) : is
    }, patience)
    .toBe(state)
  return show(at, agent, id)
}
const give = async (at: Stage, agent: string, prompt: string): Promise<string> => {
  const got = await ask(at, 'POST', `/agents/${agent}/task`, { prompt })
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return got.body.task_id
}
const status = async (at: Stage, agent: string) => (await ask(at, 'GET', `/agents/${agent}/status`)).body
const shows = (at: Stage, agent: string, what: object) =>
  expect.poll(() => status(at, agent), patience).toMatchObject(what)

const headless = 'ag-01'
const tasked = async (make: Make, scripts: readonly Script[], role: string): Promise<Stage> => {
  const at = await make({ scripts: [...scripts] }, role)
  mkdirSync(join(at.root, 'agents', headless), { recursive: true })
  const file = `role: s\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n`
  writeFileSync(join(at.root, 'agents', headless, 'config.yaml'), file)
  expect((await at.agency(['start'])).code).toBe(0)
  await shows(at, headless, { state: 'idle' })
  return at
}
const nextHost = async (at: Stage): Promise<void> => {
  await at.killHost()
  expect((await at.agency(['start'])).code).toBe(0)
}

/** With a `gh` that only notes what it was called with. */
const withGh =
  (make: Make): Make =>
  async (scenario, more) => {
    const at = await make(scenario, more)
    const bin = join(at.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$*" >> ${at.folder}/called\n`, { mode: 0o755 })
    at.env.PATH = `${bin}:${at.env.PATH}`
    return at
  }
/** How often an issue was really closed; the CLI asks `gh` things of its own. */
const closed = (at: Stage): number =>
  readFileSync(join(at.folder, 'called'), 'utf8')
    .split('\n')
    .filter((words) => words.startsWith('issue close')).length
const gate = (scope: string, more = ''): string =>
  roleOf(`{ mode: prompt, gates: { tools: ['Bash:gh issue close*'], approval_scope: ${scope} }${more} }`)
const close = runs('gh issue close 7')

export const reviewCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'a prompt asks for a review: its turn ends when the reviewer has said COMPLETE': async (make) => {
    const scripts = [
      ...reviewer(verdict('COMPLETE', { delay_ms: 3_000 })),
      says('Fix', runs('touch it'), done),
    ]
    const at = await terminal(make, [...scripts, says('Say', done)], roleOf('{ mode: prompt }'))
    await at.say('coder', 'Say hello')
    await at.until('coder', { state: 'idle', turns: 1 })
    expect(await verdicts(at)).toEqual([])
    await types(at, '#roz Fix bug')
    await at.until('coder', inReview)
    await at.until('coder', { state: 'idle', turns: 2 })
    expect([await verdicts(at), await stops(at)]).toEqual([['COMPLETE'], ['pass', 'review', 'pass']])
    expect(has(at, 'it')).toBe(true)
    expect(await of(at, 'prompt_received', 'text')).toEqual([
      '[agency saw nobody type this prompt] Say hello',
      '#roz Fix bug',
    ])
  },

  'ISSUES: the agent is told, and its turn ends when it has done what was found': async (make) => {
    const at = await terminal(make, [...reviewer(), fixes, says('Fix', done)], roleOf('{ mode: prompt }'))
    await at.say('coder', '#roz Fix bug')
    await at.until('coder', { state: 'idle', turns: 1 })
    expect(has(at, mark)).toBe(true)
    expect(await verdicts(at)).toEqual(['ISSUES', 'COMPLETE'])
    expect(await stops(at)).toEqual(['review', 'block', 'review', 'pass'])
  },

  'after exactly max_blocks the turn is released, with a warning, and a person is asked': async (make) => {
    const role = roleOf('{ mode: prompt, circuit_breaker: { max_blocks: 2 } }')
    const at = await terminal(make, [...reviewer(), refuses, says('Fix', done)], role)
    await at.say('coder', '#roz Fix bug')
    const { id, tool, input } = await question(at)
    expect({ tool, input }).toMatchObject({ tool: 'review', input: { issues: 'I looked.\nMake it so.' } })
    await at.until('coder', { state: 'idle', text: `idle, in review: ${id}`, needs_you: true })
    await expect.poll(() => at.screen('coder'), patience).toContain('Review not complete')
    const round = ['review', 'block']
    expect(await stops(at)).toEqual([...round, ...round, 'review', 'pass'])
    const { code, err } = await at.agency(['approve', id])
    expect(code, err).toBe(0)
    await at.until('coder', { state: 'idle', text: 'idle', needs_you: false })
    expect(await of(at, 'verdict_given', 'by')).toEqual(['process', 'process', 'process', 'person'])
  },

  'the host is killed while the reviewer is at work: the next one has the work reviewed': async (make) => {
    const scripts = [...reviewer(verdict('ISSUES', slow)), says('Fix', done)]
    const at = await terminal(make, scripts, roleOf('{ mode: prompt }'))
    await at.say('coder', '#roz Fix bug')
    await at.until('coder', inReview)
    await at.killHost()
    writeFileSync(join(at.cwd, mark), '')
    expect((await at.agency(['start'])).code).toBe(0)
    await at.until('coder', { state: 'idle', turns: 1 })
    expect(await verdicts(at)).toEqual(['COMPLETE'])
  },

  'the host is killed between a refused end and the verdict: the next one goes on': async (make) => {
    const waits = 'touch began; while [ ! -e go ]; do sleep 0.05; done; touch'
    const slowly = says('Make it so', runs(`${waits} ${mark}`), done)
    const at = await terminal(make, [...reviewer(), slowly, says('Fix', done)], roleOf('{ mode: prompt }'))
    await at.say('coder', '#roz Fix bug')
    await expect.poll(() => has(at, 'began'), patience).toBe(true)
    await nextHost(at)
    writeFileSync(join(at.cwd, 'go'), '')
    await at.until('coder', { state: 'idle', turns: 1 })
    expect([await verdicts(at), await stops(at)]).toEqual([
      ['ISSUES', 'COMPLETE'],
      ['review', 'block', 'review', 'pass'],
    ])
  },

  'a session that ends while a person is asked about its work leaves it unaccepted': async (make) => {
    const role = always(', circuit_breaker: { max_blocks: 1 }')
    for (const killed of [false, true]) {
      const at = await terminal(make, [...reviewer(), refuses, says('Fix', done)], role)
      await at.until('coder', { state: 'idle' })
      const id = await give(at, 'coder', 'Fix bug')
      await question(at)
      if (killed) {
        await at.killHost()
        process.kill((await at.keeper('coder')).found.pid, 'SIGKILL')
        expect((await at.agency(['start'])).code).toBe(0)
      } else expect((await at.agency(['stop', 'coder'])).code).toBe(0)
      const { error } = await comesTo(at, 'coder', id, 'failed')
      expect(error).toMatchObject({ type: 'review_failed' })
      await expect.poll(() => list(at), patience).toEqual([])
    }
  },

  'a task of a terminal agent is completed by COMPLETE, not by the end of its turn': async (make) => {
    const at = await terminal(make, [...reviewer(), fixes, says('Fix', done)], always())
    await at.until('coder', { state: 'idle' })
    const id = await give(at, 'coder', 'Fix bug')
    await comesTo(at, 'coder', id, 'completed')
    expect(await verdicts(at)).toEqual(['ISSUES', 'COMPLETE'])
    expect(await statesOf(at, id)).toEqual(['working', 'completed'])
  },

  'a task that was released stays open until a person has answered, also for the next host': async (make) => {
    const role = always(', circuit_breaker: { max_blocks: 1 }')
    const at = await terminal(make, [...reviewer(), refuses, says('Fix', { ...done, times: 0 })], role)
    for (const [verb, state] of [
      ['approve', 'completed'],
      ['deny', 'failed'],
    ] as const) {
      await at.until('coder', { state: 'idle' })
      const id = await give(at, 'coder', 'Fix bug')
      const { id: approval } = await question(at)
      await at.until('coder', { text: `idle, in review: ${approval}` })
      expect(await show(at, 'coder', id)).toMatchObject({ state: 'working' })
      await nextHost(at)
      await at.until('coder', { text: `idle, in review: ${approval}` })
      expect((await at.agency([verb, approval])).code).toBe(0)
      const { error } = await comesTo(at, 'coder', id, state)
      if (state === 'failed')
        expect(error).toMatchObject({
          type: 'review_failed',
          message: expect.stringContaining('Make it so.'),
        })
    }
  },

  'a headless task is completed by COMPLETE; what was found goes back into its session': async (make) => {
    const at = await tasked(make, [...reviewer(), fixes, says('Fix', done)], roleOf('{ mode: prompt }'))
    const id = await give(at, headless, '#roz Fix bug')
    const { session_id } = await comesTo(at, headless, id, 'completed')
    expect(await verdicts(at)).toEqual(['ISSUES', 'COMPLETE'])
    expect(await statesOf(at, id)).toEqual(['working', 'queued', 'working', 'completed'])
    expect(session_id).toBe((await show(at, headless, id)).session_id)
    const plain = await give(at, headless, 'Make it so')
    await comesTo(at, headless, plain, 'completed')
    expect(await verdicts(at)).toHaveLength(2)
  },

  'a headless task whose reviews go in circles waits for a person: accepted, refused, or host killed': async (
    make,
  ) => {
    const role = always(', circuit_breaker: { max_blocks: 1 }')
    const at = await tasked(make, [...reviewer(), refuses, says('Fix', { ...done, times: 0 })], role)
    for (const [verb, state] of [
      ['approve', 'completed'],
      ['deny', 'failed'],
    ] as const) {
      const id = await give(at, headless, 'Fix bug')
      const { id: approval } = await question(at)
      await shows(at, headless, { state: 'blocked', message: `in review: ${approval}` })
      expect(await show(at, headless, id)).toMatchObject({ state: 'working' })
      await nextHost(at)
      await shows(at, headless, { state: 'blocked', message: `in review: ${approval}` })
      expect((await at.agency([verb, approval])).code).toBe(0)
      const { error } = await comesTo(at, headless, id, state)
      if (state === 'failed')
        expect(error).toMatchObject({
          type: 'review_failed',
          message: expect.stringContaining('Make it so.'),
        })
      await shows(at, headless, { state: 'idle' })
    }
  },

  'the host is killed while the work of a headless task is reviewed: the next one goes on': async (make) => {
    const scripts = [...reviewer(verdict('ISSUES', slow)), says('Fix', done)]
    const at = await tasked(make, scripts, always())
    const id = await give(at, headless, 'Fix bug')
    await shows(at, headless, { state: 'working', message: 'in review' })
    await at.killHost()
    writeFileSync(join(at.cwd, mark), '')
    expect((await at.agency(['start'])).code).toBe(0)
    await comesTo(at, headless, id, 'completed')
    expect(await verdicts(at)).toEqual(['COMPLETE'])
  },

  'a headless task that is cancelled while it is reviewed is not completed': async (make) => {
    const at = await tasked(make, [...reviewer(verdict('COMPLETE', slow)), says('Fix', done)], always())
    const id = await give(at, headless, 'Fix bug')
    await shows(at, headless, { state: 'working', message: 'in review' })
    expect(await ask(at, 'POST', `/agents/${headless}/task/${id}/cancel`)).toMatchObject({ status: 200 })
    await comesTo(at, headless, id, 'cancelled')
    expect(await verdicts(at)).toEqual([])
    await shows(at, headless, { state: 'idle' })
  },

  'a gated call of a headless task is refused, reviewed, and then runs': async (make) => {
    const scripts = [...reviewer(), says('Close', close, runs(`touch ${mark}`), close, done)]
    const at = await tasked(withGh(make), scripts, gate('tool'))
    const id = await give(at, headless, 'Close it')
    await comesTo(at, headless, id, 'completed')
    expect([closed(at), await verdicts(at)]).toEqual([1, ['ISSUES', 'COMPLETE']])
    expect(await statesOf(at, id)).toEqual(['working', 'completed'])
  },

  'work that was changed after its verdict is reviewed again, where the verdict is bound to it': async (
    make,
  ) => {
    for (const bound of [true, false]) {
      const scripts = [
        ...reviewer(verdict('COMPLETE')),
        says('Close', close, runs('echo more > more.txt'), done),
      ]
      const at = await terminal(withGh(make), scripts, gate('prompt', `, bind_tree: ${bound}`))
      await at.say('coder', 'Close it')
      await at.until('coder', { state: 'idle', turns: 1 })
      expect(await verdicts(at)).toEqual(bound ? ['COMPLETE', 'COMPLETE'] : ['COMPLETE'])
      await at.agency(['stop', 'coder'])
    }
  },
}

const scopes: readonly (readonly [string, readonly string[]])[] = [
  ['prompt', ['ISSUES', 'COMPLETE', 'COMPLETE']],
  ['session', ['ISSUES', 'COMPLETE']],
  ['tool', ['ISSUES', 'COMPLETE', 'COMPLETE', 'COMPLETE']],
]
const scopeCase =
  (scope: string, expected: readonly string[]) =>
  async (make: Make): Promise<void> => {
    const first = says('Close', close, runs(`touch ${mark}`), close, close, done)
    const scripts = [...reviewer(), first, says('Once more', close, done)]
    const at = await terminal(withGh(make), scripts, gate(scope))
    await at.say('coder', 'Close it')
    await at.until('coder', { state: 'idle', turns: 1 })
    await at.say('coder', 'Once more')
    await at.until('coder', { state: 'idle', turns: 2 })
    expect(closed(at)).toBe(3)
    expect(await verdicts(at)).toEqual(expected)
  }

export const gateCases: Readonly<Record<string, (make: Make) => Promise<void>>> = Object.fromEntries(
  scopes.map(([scope, expected]) => [
    `a gated call is refused, reviewed, and then runs: approved for this ${scope}`,
    scopeCase(scope, expected),
  ]),
)
