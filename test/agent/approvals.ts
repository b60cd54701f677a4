// Questions to people: asked by a hook, answered from anywhere, and who won is read back from the agent. The same cases
// for the stand-in and the real CLI.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Approval } from '../../src/approval/schema.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { agent as subagent } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

const bash = (...commands: string[]) => ({
  calls: commands.map((command) => ({ name: 'Bash', input: { command, description: 'A step' } })),
})
const one: Scenario = { scripts: [{ replies: [bash('touch ran'), { text: 'Done.' }] }] }
const dialog = /Do you want/

const list = async (at: Stage, ...more: string[]): Promise<readonly Approval[]> =>
  ((await at.json(['approval', 'list', ...more])) as { approvals?: Approval[] }).approvals ?? []

/** Until so many wait. */
const waiting = async (at: Stage, count = 1): Promise<readonly Approval[]> => {
  let seen: readonly Approval[] = []
  await expect
    .poll(async () => {
      seen = await list(at)
      return seen.length
    }, patience)
    .toBe(count)
  return seen
}
const first = async (at: Stage): Promise<Approval> => (await waiting(at))[0] as Approval

const becomes = async (at: Stage, id: string, what: object): Promise<void> => {
  await expect
    .poll(async () => (await list(at, '--all')).find((approval) => approval.id === id), patience)
    .toMatchObject(what)
}
const ran = (at: Stage, file = 'ran'): boolean => existsSync(join(at.cwd, file))

/** An agent at a terminal that was told `prompt`. */
const begun = async (at: Stage, name = 'a', prompt = 'go'): Promise<void> => {
  const { code, err } = await at.run(name)
  expect(code, err).toBe(0)
  await at.say(name, prompt)
}

/** What the agent's own record holds. */
const recorded = (directory: string): string =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => readFileSync(join(directory, file), 'utf8'))
    .join('\n')

const headless = 'ag-01'
const tasked = async (make: Make, role: string): Promise<{ at: Stage; id: string; place: string }> => {
  const at = await make(one, role)
  mkdirSync(join(at.root, 'agents', headless), { recursive: true })
  writeFileSync(join(at.root, 'agents', headless, 'config.yaml'), 'role: s\nsandbox: { enabled: false }\n')
  expect((await at.agency(['start'])).code).toBe(0)
  const status = async () => (await ask(at, 'GET', `/agents/${headless}/status`)).body.state
  await expect.poll(status, patience).toBe('idle')
  const got = await ask(at, 'POST', `/agents/${headless}/task`, { prompt: 'go' })
  expect(got.status, JSON.stringify(got.body)).toBe(201)
  return { at, id: got.body.task_id, place: join(at.root, 'work', got.body.session_id) }
}
const done = async (at: Stage, id: string): Promise<void> => {
  const show = async () => (await ask(at, 'GET', `/agents/${headless}/task/${id}`)).body.state
  await expect.poll(show, patience).toBe('completed')
}

export const approvalCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'approved at the command line: shown, allowed, and confirmed by the agent': async (make) => {
    const at = await make(one)
    await begun(at)
    const asked = await first(at)
    expect(asked).toMatchObject({ agent: 'a', tool: 'Bash', life: 'asked', input: { command: 'touch ran' } })
    expect(asked.expires).toBeUndefined()
    await at.until('a', { state: 'blocked', blocked_tool: 'Bash', approval: asked.id })
    expect((await at.agency(['approval', 'list'])).out).toContain('touch ran')
    const agents = { env: { ...at.env, AGENCY_ACTOR: 'a' } }
    expect((await at.agency(['approve', asked.id], agents)).code).not.toBe(0)
    expect(await list(at)).toEqual([asked])
    const { code, out, err } = await at.agency(['approve', asked.id])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Approval a\w+: allowed by .*: Bash of "a"\.\n$/)
    await at.until('a', { state: 'idle', turns: 1 })
    expect(ran(at)).toBe(true)
    await becomes(at, asked.id, { life: 'confirmed', receipt: { won: 'cli', verdict: 'allow' } })
    expect(await list(at)).toEqual([])
    const again = await at.agency(['deny', asked.id])
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('needs no answer any more: allowed by'),
    ])
    const told = [await at.journal('approval.asked'), await at.journal('approval.answered')]
    expect(told.map((events) => events.length)).toEqual([1, 1])
  },

  'denied by the name of the agent: the reason reaches the model, and it goes on': async (make) => {
    const at = await make(one)
    await begun(at)
    const { id } = await first(at)
    const { code, out } = await at.agency(['deny', 'a', '--reason', 'Use the other machine'])
    expect(out).toMatch(/denied by/)
    expect(code).toBe(0)
    await at.until('a', { state: 'idle', turns: 1 })
    expect(ran(at)).toBe(false)
    await expect.poll(() => recorded(at.directory('a')), patience).toContain('Use the other machine')
    await becomes(at, id, { life: 'confirmed', receipt: { won: 'cli', verdict: 'deny' } })
  },

  'the person at the dialog is first: the approval says so, and who comes later is told': async (make) => {
    const at = await make(one)
    await begun(at)
    const { id } = await first(at)
    await at.press('a', '1', dialog)
    await becomes(at, id, { life: 'confirmed', receipt: { won: 'dialog', verdict: 'allow' } })
    const { code, err } = await at.agency(['deny', id])
    expect([code, err]).toEqual([1, expect.stringContaining('allowed in the dialog')])
    await at.until('a', { state: 'idle', turns: 1 })
    expect(ran(at)).toBe(true)
  },

  'Esc and No in the dialog are a no by the person': async (make) => {
    const at = await make({
      scripts: [
        { match: 'first', replies: [bash('touch ran'), { text: 'Done.' }] },
        { match: 'second', replies: [bash('touch ran'), { text: 'Done.' }] },
      ],
    })
    await begun(at, 'a', 'first')
    const esc = await first(at)
    await at.press('a', '\u001b', dialog)
    await becomes(at, esc.id, { life: 'confirmed', receipt: { won: 'dialog', verdict: 'deny' } })
    await at.until('a', { state: 'idle' })
    await at.say('a', 'second')
    const no = await first(at)
    await expect.poll(() => at.screen('a'), patience).toMatch(dialog)
    await at.press('a', (await at.screen('a')).match(/(\d)\. No/)?.[1] ?? '?', dialog)
    await becomes(at, no.id, { life: 'confirmed', receipt: { won: 'dialog', verdict: 'deny' } })
    await at.until('a', { state: 'idle' })
    expect(ran(at)).toBe(false)
  },

  'kill -9 of the host while it waits: it is still there, and answering it lets the agent go on': async (
    make,
  ) => {
    const at = await make(one)
    await begun(at)
    const asked = await first(at)
    await at.killHost()
    expect((await at.agency(['start'])).code).toBe(0)
    expect(await list(at)).toEqual([asked])
    await at.until('a', { state: 'blocked', approval: asked.id })
    // One that is told to go leaves it waiting too; answering starts the next.
    expect((await at.agency(['down'])).code).toBe(0)
    const { code, err } = await at.agency(['approve', 'a'])
    expect(code, err).toBe(0)
    await at.until('a', { state: 'idle', turns: 1 })
    expect(ran(at)).toBe(true)
    await becomes(at, asked.id, { life: 'confirmed', receipt: { won: 'cli', verdict: 'allow' } })
    expect(await at.journal('approval.asked')).toHaveLength(1)
  },

  'answered at the dialog while no host is up: the next one finds out': async (make) => {
    const at = await make(one)
    await begun(at)
    const { id } = await first(at)
    await at.killHost()
    await at.press('a', '1', dialog)
    await expect.poll(() => ran(at), patience).toBe(true)
    expect((await at.agency(['start'])).code).toBe(0)
    await becomes(at, id, { life: 'confirmed', receipt: { won: 'dialog', verdict: 'allow' } })
    await at.until('a', { state: 'idle' })
    expect(await list(at)).toEqual([])
  },

  'two agents at once: each is answered for itself, also after kill -9 of the host': async (make) => {
    const at = await make({
      scripts: [
        { match: 'left', replies: [bash('touch left'), { text: 'Done.' }] },
        { match: 'right', replies: [bash('touch right'), { text: 'Done.' }] },
      ],
    })
    await begun(at, 'a', 'left')
    await begun(at, 'b', 'right')
    const asked = await waiting(at, 2)
    await at.killHost()
    expect((await at.agency(['start'])).code).toBe(0)
    expect(await list(at)).toEqual(asked)
    expect((await at.agency(['approve', 'a'])).code).toBe(0)
    expect((await at.agency(['deny', 'b'])).code).toBe(0)
    await at.until('a', { state: 'idle', turns: 1 })
    await at.until('b', { state: 'idle', turns: 1 })
    expect([ran(at, 'left'), ran(at, 'right')]).toEqual([true, false])
  },

  'parallel calls of one agent are questions of their own': async (make) => {
    const at = await make({
      scripts: [{ replies: [bash('touch left', 'touch right'), { text: 'Done.' }] }],
    })
    await begun(at)
    // A CLI may ask for one after the other.
    const asked: Approval[] = []
    await expect
      .poll(async () => {
        for (const each of await list(at)) {
          if (asked.some(({ id }) => id === each.id)) continue
          asked.push(each)
          const left = JSON.stringify(each.input).includes('touch left')
          expect((await at.agency([left ? 'approve' : 'deny', each.id])).code).toBe(0)
        }
        return asked.length
      }, patience)
      .toBe(2)
    await at.until('a', { state: 'idle', turns: 1 })
    expect([ran(at, 'left'), ran(at, 'right')]).toEqual([true, false])
    expect(new Set(asked.map(({ call }) => call)).size).toBe(2)
    for (const { id } of asked) await becomes(at, id, { life: 'confirmed', receipt: { won: 'cli' } })
  },

  'what a subagent asks is asked in the name of its agent': async (make) => {
    const at = await make(
      {
        scripts: [
          { match: 'look', subagent: true, replies: [bash('touch ran'), { text: 'I looked.' }] },
          {
            match: 'go',
            subagent: false,
            replies: [{ calls: [subagent('look', { run_in_background: false })] }, { text: 'Done.' }],
          },
        ],
      },
      'permissions:\n  allow: [Agent]\n',
    )
    await begun(at)
    const asked = await first(at)
    expect(asked).toMatchObject({ agent: 'a', tool: 'Bash', subagent: expect.any(String) })
    expect((await at.agency(['approve', 'a'])).code).toBe(0)
    await expect.poll(() => ran(at), patience).toBe(true)
    await becomes(at, asked.id, { life: 'confirmed', receipt: { won: 'cli', verdict: 'allow' } })
    await at.until('a', { state: 'idle' })
  },

  'a session that ends while it waits leaves nothing to answer': async (make) => {
    const at = await make(one)
    await begun(at)
    const { id } = await first(at)
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
    await becomes(at, id, { life: 'gone' })
    const { code, err } = await at.agency(['approve', id])
    expect([code, err]).toEqual([1, expect.stringContaining('needs no answer any more')])
    expect(ran(at)).toBe(false)
  },

  'allowed for the whole session: the same call is not asked again, another one is': async (make) => {
    const at = await make({
      scripts: [{ replies: [bash('touch ran'), bash('touch ran'), bash('touch other'), { text: 'Done.' }] }],
    })
    await begun(at)
    const asked = await first(at)
    expect((await at.agency(['approve', 'a', '--always', 'session'])).code).toBe(0)
    const other = async () => (await list(at)).find(({ id }) => id !== asked.id)?.input.command
    await expect.poll(other, patience).toBe('touch other')
    expect(await list(at, '--all')).toHaveLength(2)
    expect((await at.agency(['approve', 'a'])).code).toBe(0)
    await at.until('a', { state: 'idle', turns: 1 })
    expect([ran(at), ran(at, 'other')]).toEqual([true, true])
  },

  'allowed for the role: shown first, written when it is confirmed, and true for the next agent': async (
    make,
  ) => {
    const at = await make(
      { scripts: [{ replies: [bash('touch ran'), { text: 'Done.' }] }, ...one.scripts] },
      '# What they may do.\npermissions:\n  allow:\n    - Read # all of it\n',
    )
    const file = join(at.root, 'roles/s.yaml')
    const before = readFileSync(file, 'utf8')
    await begun(at)
    const { id } = await first(at)
    const unsure = await at.agency(['approve', 'a', '--always', 'role'])
    expect([unsure.code, unsure.out]).toEqual([1, expect.stringContaining('+     - Bash(touch ran)')])
    expect(unsure.err).toContain('nobody confirmed it')
    expect([readFileSync(file, 'utf8'), (await first(at)).id]).toEqual([before, id])
    const { code, out, err } = await at.agency(['approve', 'a', '--always', 'role', '--yes'])
    expect(code, err).toBe(0)
    expect(out).toContain('+     - Bash(touch ran)')
    expect(readFileSync(file, 'utf8')).toBe(`${before}    - Bash(touch ran)\n`)
    await at.until('a', { state: 'idle', turns: 1 })
    await begun(at, 'b')
    await at.until('b', { state: 'idle', turns: 1 })
    expect(await list(at, '--all')).toHaveLength(1)
    expect((await at.agency(['deny', id])).code).toBe(1)
  },

  'headless: approved over HTTP, it goes on': async (make) => {
    const { at, id, place } = await tasked(make, '')
    const asked = await first(at)
    expect(asked).toMatchObject({ agent: headless, tool: 'Bash', expires: asked.at + 3_600_000 })
    await expect
      .poll(async () => (await ask(at, 'GET', `/agents/${headless}/status`)).body, patience)
      .toMatchObject({ state: 'blocked', message: `permission: Bash, ${asked.id}` })
    const path = `/approvals/${asked.id}`
    expect(await ask(at, 'POST', path, { verdict: 'perhaps' })).toMatchObject({ status: 400 })
    expect(await ask(at, 'POST', path, { verdict: 'allow', by: 'ann' })).toMatchObject({
      status: 200,
      body: { answer: { verdict: 'allow', by: 'ann', via: 'api' } },
    })
    expect(await ask(at, 'POST', path, { verdict: 'deny' })).toMatchObject({
      status: 409,
      body: { error: 'approval_settled', details: { won: 'api', verdict: 'allow' } },
    })
    await done(at, id)
    expect(existsSync(join(place, 'ran'))).toBe(true)
    await becomes(at, asked.id, { life: 'confirmed', receipt: { won: 'api', verdict: 'allow' } })
  },

  'headless: kill -9 of the host while it waits, then denied with a reason': async (make) => {
    const { at, id, place } = await tasked(make, '')
    const asked = await first(at)
    await at.killHost()
    const { code, err } = await at.agency(['deny', headless, '--reason', 'Use the other machine'])
    expect(code, err).toBe(0)
    await done(at, id)
    expect(existsSync(join(place, 'ran'))).toBe(false)
    expect(recorded(at.directory(headless))).toContain('Use the other machine')
    await becomes(at, asked.id, { life: 'confirmed', receipt: { won: 'cli', verdict: 'deny' } })
  },

  'headless: what nobody answers in time is denied': async (make) => {
    const { at, id, place } = await tasked(make, 'approvals: { expire: 3s }\n')
    await done(at, id)
    expect(existsSync(join(place, 'ran'))).toBe(false)
    const [asked] = await list(at, '--all')
    expect(asked).toMatchObject({ life: 'expired', answer: { verdict: 'deny', via: 'expiry' } })
    expect(recorded(at.directory(headless))).toContain('Nobody answered')
    const { code, err } = await at.agency(['approve', asked?.id ?? ''])
    expect([code, err]).toEqual([1, expect.stringContaining('nobody answered in time')])
  },
}
