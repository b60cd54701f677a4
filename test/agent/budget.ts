// What agents may use is what they use, at a terminal and headless: the same cases for the stand-in and the real CLI.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BudgetLine } from '../../src/budget/api.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import type { TaskView } from '../../src/task/api.ts'
import { agent, bash } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

const open = 'permissions:\n  allow: [Bash, Agent]\n'
/** Each answer uses so much. */
const answer = { input: 100, output: 20 }
const steps = (...names: readonly string[]) =>
  names.map((name) => ({ calls: [bash(`touch ${name}`)], usage: answer }))
const works = (...names: readonly string[]): Scenario => ({
  scripts: [
    { match: 'go', replies: [...steps(...names), { text: 'Done.', usage: answer }] },
    { replies: [{ text: 'Heard.', times: 0, usage: answer }] },
  ],
})
const waits = 'touch began; while [ ! -e on ]; do sleep 0.05; done'

const shown = async (at: Stage, ...agent: readonly string[]): Promise<readonly BudgetLine[]> =>
  ((await at.json(['budget', 'show', ...agent])) as { budgets: BudgetLine[] }).budgets
const usedOf = async (at: Stage, limit: string, ...agent: readonly string[]): Promise<number> =>
  (await shown(at, ...agent)).find((line) => line.limit === limit)?.used ?? Number.NaN
const has = (at: Stage, ...names: readonly string[]): readonly boolean[] =>
  names.map((name) => existsSync(join(at.cwd, name)))
const raise = async (at: Stage, ...words: readonly string[]): Promise<void> => {
  const { code, err } = await at.agency(['budget', 'raise', ...words])
  expect(code, err).toBe(0)
}

const launched = async (make: Make, scenario: Scenario, budget: string): Promise<Stage> => {
  const at = await make(scenario, `${open}budget: ${budget}\n`)
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  return at
}

const headless = async (
  make: Make,
  scenario: Scenario,
  { role = '', file = '', config = '' },
): Promise<Stage> => {
  const at = await make(scenario, `${open}${role}`)
  mkdirSync(join(at.root, 'agents/h'), { recursive: true })
  writeFileSync(
    join(at.root, 'agents/h/config.yaml'),
    `role: s\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n${file}`,
  )
  if (config !== '') writeFileSync(join(at.root, 'config.yaml'), config)
  expect((await at.agency(['start'])).code).toBe(0)
  await expect.poll(async () => (await ask(at, 'GET', '/agents/h/status')).body.state, patience).toBe('idle')
  return at
}
const given = async (at: Stage, prompt: string, more: object = {}): Promise<string> => {
  const got = await ask(at, 'POST', '/agents/h/task', { prompt, ...more })
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return got.body.task_id
}
const untilOver = async (at: Stage, id: string, agent = 'h'): Promise<TaskView> => {
  const show = async (): Promise<TaskView> => (await ask(at, 'GET', `/agents/${agent}/task/${id}`)).body
  await expect.poll(async () => (await show()).state, patience).toMatch(/completed|failed|interrupted/)
  return show()
}
const spent = { type: 'budget_exceeded', retryable: false }

export const budgetCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'turns at a terminal: warned, then the call is refused, the turn is over, and prompts are not let in':
    async (make) => {
      const at = await launched(make, works('one', 'two', 'three', 'four', 'five', 'six'), '{ turns: 5 }')
      await at.say('a', 'go')
      const entry = await at.until('a', { state: 'idle', needs_you: true })
      expect(entry).toMatchObject({
        budget: 'budget used up: 5 of 5 turns',
        text: 'idle, budget used up: 5 of 5 turns',
        next: 'Type `agency budget raise a --turns +10` to let it go on.',
      })
      expect(has(at, 'four', 'five', 'six')).toEqual([true, false, false])
      const told = async (type: string) =>
        (await at.journal(type)).map(({ subject, data }) => [subject, data.text])
      expect(await told('budget.warned')).toEqual([['budget:agent/a', '4 of 5 turns']])
      expect(await told('budget.reached')).toEqual([['budget:agent/a', '5 of 5 turns']])
      const [refused] = (await at.journal('session.decided')).filter(({ data }) => data.layer === 'budget')
      expect(refused?.data).toMatchObject({ verdict: 'deny', rule: 'turns' })

      await at.agency(['send', 'a', 'More.'])
      await expect.poll(async () => (await at.journal('session.refused')).length, patience).toBe(2)
      expect(await usedOf(at, 'turns')).toBe(5)

      await raise(at, 'a', '--turns', '+1')
      await at.until('a', { state: 'idle', needs_you: false, budget: 'budget: 5 of 6 turns' })
      await at.agency(['send', 'a', 'Go on with it.'])
      await expect.poll(() => usedOf(at, 'turns'), patience).toBe(6)
      await at.until('a', { state: 'idle' })
    },

  'tokens in a task at a terminal: it fails, the next is refused until a person raises them': async (
    make,
  ) => {
    const at = await launched(make, works('one', 'two', 'three', 'four', 'five'), '{ tokens: 300 }')
    const give = (prompt: string) => ask(at, 'POST', '/agents/a/task', { prompt })
    const first = await give('go')
    const failed = await untilOver(at, first.body.task_id, 'a')
    expect(failed).toMatchObject({ state: 'failed', error: spent })
    // The real CLI asks for a title besides, which may be told late.
    expect(failed.error?.message).toMatch(/(360|480) of 300 tokens/)
    expect(has(at, 'one', 'three')).toEqual([true, false])
    await at.until('a', { state: 'idle' })
    expect(await give('more')).toMatchObject({ status: 409, body: { error: 'budget_exceeded' } })
    await raise(at, 'a', '--tokens', '+1000')
    const next = await give('more')
    expect(await untilOver(at, next.body.task_id, 'a')).toMatchObject({
      state: 'completed',
      output: 'Heard.',
    })
    await expect.poll(() => usedOf(at, 'tokens'), patience).toBeGreaterThanOrEqual(480)
  },

  'a subagent is held to the same limit, and its parent hears of it in one answer': async (make) => {
    const asks = { calls: [agent('look around', { run_in_background: false })], usage: answer }
    const at = await launched(
      make,
      {
        scripts: [
          {
            match: 'look around',
            subagent: true,
            replies: [...steps('one', 'two', 'three'), { text: 'Looked.' }],
          },
          { match: 'go', subagent: false, replies: [asks, ...steps('four', 'five'), { text: 'Done.' }] },
        ],
      },
      '{ turns: 3 }',
    )
    await at.say('a', 'go')
    await at.until('a', { state: 'idle', needs_you: true })
    // Where both work at the same time, either may have had the second answer.
    expect(has(at, 'two', 'three', 'five')).toEqual([false, false, false])
    await expect.poll(() => usedOf(at, 'turns'), patience).toBeLessThanOrEqual(4)
    await at.until('a', { state: 'idle', budget: expect.stringMatching(/used up: [34] of 3 turns/) })
  },

  'the host killed between: what was used stays used, and the next host holds the same line': async (
    make,
  ) => {
    const replies = [{ calls: [bash(waits)], usage: answer }, ...steps('two', 'three')]
    const at = await launched(make, { scripts: [{ match: 'go', replies }] }, '{ turns: 3 }')
    await at.say('a', 'go')
    await expect.poll(() => has(at, 'began'), patience).toEqual([true])
    await expect.poll(() => usedOf(at, 'turns'), patience).toBe(1)
    await at.killHost()
    writeFileSync(join(at.cwd, 'on'), '')
    expect((await at.agency(['start'])).code).toBe(0)
    await at.until('a', { state: 'idle', budget: 'budget used up: 3 of 3 turns' })
    expect(has(at, 'two', 'three')).toEqual([true, false])
  },

  'launches: those that are resumed count, a new agent of the name begins anew, a fork is its own': async (
    make,
  ) => {
    const at = await launched(make, works('one'), '{ runs: 2 }')
    await at.say('a', 'hello')
    await at.until('a', { state: 'idle', turns: 1 })
    expect((await at.agency(['session', 'fork', 'a', '--name', 'b', '--detach'])).code).toBe(0)
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
    expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
    const refused = await at.agency(['session', 'resume', 'a', '--detach'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('2 of 2 runs')])
    expect(refused.err).toContain('agency budget raise a --runs +1')
    expect(await usedOf(at, 'runs', 'b')).toBe(1)
    expect((await at.run('a')).code).toBe(0)
    expect(await usedOf(at, 'runs', 'a')).toBe(1)
  },

  'all agents of a pod together: what its template says, however they are launched': async (make) => {
    const at = await make(works('one'), open)
    mkdirSync(join(at.root, 'pods/templates'), { recursive: true })
    writeFileSync(
      join(at.root, 'pods/templates/web.yaml'),
      'budget: { runs: 2 }\nagents:\n  - { role: s, name: w, count: 3 }\n',
    )
    const up = await at.agency(['pod', 'launch', 'web'])
    expect([up.code, up.out]).toEqual([1, expect.stringContaining('2 launched, 1 failed')])
    expect(await shown(at)).toEqual([{ who: 'pod/web', limit: 'runs', used: 2, of: 2, state: 'reached' }])
    const more = await at.run('other', '--pod', 'web')
    expect([more.code, more.err]).toEqual([1, expect.stringContaining('2 of 2 runs, of the pod web')])
    await raise(at, 'pod/web', '--runs', '+1')
    expect((await at.run('other', '--pod', 'web')).code).toBe(0)
  },

  'time at a terminal: a turn that makes no call is interrupted': async (make) => {
    const replies = [{ calls: [bash('touch began; sleep 300')], usage: answer }, { text: 'Late.' }]
    const at = await launched(make, { scripts: [{ match: 'go', replies }] }, '{ wall_time: 12s }')
    await at.say('a', 'go')
    await at.until('a', { state: 'idle', budget: expect.stringMatching(/used up: .* of 12s of time/) })
    expect(has(at, 'began')).toEqual([true])
  },

  'turns of a headless agent: its task fails, so do those after it, until a person lets it go on': async (
    make,
  ) => {
    const at = await headless(make, works('one', 'two', 'three', 'four'), { role: 'budget: { turns: 3 }\n' })
    const id = await given(at, 'go')
    expect(await untilOver(at, id)).toMatchObject({
      state: 'failed',
      error: { ...spent, message: expect.stringContaining('3 of 3 turns') },
      token_usage: { output: 60 },
    })
    expect(has(at, 'two', 'three')).toEqual([true, false])
    expect(await usedOf(at, 'turns')).toBe(3)
    const status = async () => (await ask(at, 'GET', '/agents/h/status')).body
    await expect
      .poll(status, patience)
      .toMatchObject({ state: 'idle', message: 'budget used up: 3 of 3 turns' })
    expect(await untilOver(at, await given(at, 'again'))).toMatchObject({ state: 'failed', error: spent })
    expect(await usedOf(at, 'turns')).toBe(3)
    await raise(at, 'h', '--turns', '+2')
    expect((await ask(at, 'POST', `/agents/h/task/${id}/continue`, { prompt: 'and now' })).status).toBe(200)
    expect(await untilOver(at, id)).toMatchObject({ state: 'completed', output: 'Heard.' })
    expect(await usedOf(at, 'turns')).toBe(4)
  },

  'a session that goes on counts what it used since, not its totals again': async (make) => {
    const at = await headless(make, works('one'), {
      file: 'budget: { tokens: 100000, turns: 100, cost_usd: 10 }\n',
    })
    const first = await untilOver(at, await given(at, 'go'))
    const second = await untilOver(at, await given(at, 'more', { session_id: first.session_id }))
    const tokens = [first, second].map(
      ({ token_usage }) => (token_usage?.input ?? 0) + (token_usage?.output ?? 0),
    )
    expect(tokens).toEqual([240, 120])
    expect(await usedOf(at, 'tokens')).toBe(360)
    expect(await usedOf(at, 'turns')).toBe(3)
    expect(await usedOf(at, 'cost_usd')).toBeCloseTo((first.cost_usd ?? 0) + (second.cost_usd ?? 0), 6)
  },

  'what all agents use today is limited in config.yaml; tokens, also across a host that was killed': async (
    make,
  ) => {
    const replies = [{ calls: [bash(waits)], usage: answer }, ...steps('two', 'three', 'four')]
    const config = 'budgets:\n  - { tokens: 300, per: day }\n'
    const at = await headless(make, { scripts: [{ match: 'go', replies }] }, { config })
    const id = await given(at, 'go')
    await expect.poll(() => has(at, 'began'), patience).toEqual([true])
    await at.killHost()
    expect((await at.agency(['start'])).code).toBe(0)
    writeFileSync(join(at.cwd, 'on'), '')
    expect(await untilOver(at, id)).toMatchObject({ state: 'failed', error: spent })
    // What an answer has used in all is told by the result alone: then there may be one more.
    expect(has(at, 'four')).toEqual([false])
    const [line] = await shown(at)
    expect(line).toMatchObject({ who: 'root', per: 'day', of: 300, state: 'reached' })
    expect([360, 480]).toContain(line?.used)
  },

  'what a headless agent writes counts while it works, not only at its end': async (make) => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
    const replies = names.map((name) => ({
      calls: [bash(`sleep 1; touch ${name}`)],
      usage: { input: 10, output: 500 },
    }))
    const scenario = { scripts: [{ match: 'go', replies: [...replies, { text: 'Done.' }] }] }
    const at = await headless(make, scenario, { file: 'budget: { tokens: 1200 }\n' })
    expect(await untilOver(at, await given(at, 'go'))).toMatchObject({ state: 'failed', error: spent })
    expect(has(at, 'one', 'two', 'six')).toEqual([true, true, false])
  },

  'what a headless agent may cost, and how long it may run': async (make) => {
    const script = { match: 'go', replies: [{ calls: [bash('true')], usage: answer, times: 0 }] }
    const sleeps = { match: 'sleep', replies: [{ calls: [bash(waits)], usage: answer }] }
    const at = await headless(
      make,
      { scripts: [script, sleeps] },
      { file: 'budget: { cost_usd: 0.0025, wall_time: 20s }\n' },
    )
    const dear = await untilOver(at, await given(at, 'go'))
    expect(dear).toMatchObject({ state: 'failed', error: spent })
    expect(await usedOf(at, 'cost_usd')).toBeCloseTo(dear.cost_usd ?? 0, 6)
    expect(dear.cost_usd).toBeLessThan(0.005)
    await raise(at, 'h', '--cost', '+1')
    const long = await untilOver(at, await given(at, 'sleep'))
    expect(long).toMatchObject({
      state: 'failed',
      error: { ...spent, message: expect.stringContaining('of time') },
    })
  },
}
