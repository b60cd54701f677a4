import { expect, test } from 'vitest'
import type { Event } from '../../journal/schema.ts'
import { decide } from '../../permission/decide/rules.ts'
import type { Verdict } from '../../permission/decide/schema.ts'
import { completeRole } from '../../role/rules.ts'
import type { RoleFile } from '../../role/schema.ts'
import type { SessionFile } from '../plan/schema.ts'
import { launched } from '../rules.ts'
import type { Session } from '../schema.ts'
import {
  during,
  inPlace,
  interruptions,
  type Kept,
  nextStep,
  reduceSwitch,
  renamed,
  type Step,
  switchedFact,
  switchingFact,
  unready,
  unswitchedFact,
} from './rules.ts'
import { type Stage, type Switching, stages, switchEvents } from './schema.ts'

const going: Switching = {
  from: 'reader',
  to: 'doer',
  by: 'me',
  stage: 'asked',
  confirmed: false,
  launches: 1,
}
const running = (launches: number): Kept => ({ keeper: 'running', launches })
const over = (launches: number): Kept => ({ keeper: 'ended', launches })
const gone: Kept = { keeper: 'gone', launches: 0 }

test.each<[Stage, Kept, Step]>([
  ['asked', running(1), 'withdraw'],
  ['asked', over(1), 'withdraw'],
  ['asked', gone, 'withdraw'],
  ['narrowed', running(1), 'stop'],
  ['narrowed', over(1), 'later'],
  ['narrowed', gone, 'later'],
  ['stopping', running(1), 'stop'],
  ['stopping', over(1), 'relaunch'],
  ['stopping', gone, 'later'],
  ['relaunching', running(1), 'stop'],
  ['relaunching', running(2), 'done'],
  ['relaunching', over(1), 'relaunch'],
  ['relaunching', over(2), 'later'],
  ['relaunching', gone, 'later'],
])('%s, %j: %s', (stage, kept, step) => {
  expect(nextStep({ ...going, stage }, kept)).toBe(step)
})

const born = launched({ id: 's', agent: 'a', managed: true, reviewer: false, at: 0, reportMs: 1 })
const idle: Session = { ...born, started: true }
const turn = { since: 0, answered: true, id: 't' }
const waiting = { tool: 'Write', by: 'person' as const, call: 'c' }
const call = { id: 'c', tool: 'Write' }

test.each<[string, Partial<Session>, readonly string[]]>([
  ['nothing', {}, []],
  ['a limit', { limit: { what: 'x', since: 0, until: 1, sure: true } }, []],
  ['an error', { trouble: { what: 'x', next: 'y', since: 0 } }, []],
  ['a turn', { turn }, ['the turn that it is in']],
  ['a call in it', { turn, calls: [call] }, ['the call of Write that runs']],
  [
    'one that waits for a person and one that runs',
    { turn, calls: [call, { id: 'd', tool: 'Bash' }], waiting: [waiting] },
    ['its question whether Write may run, which waits for an answer', 'the call of Bash that runs'],
  ],
  ['compacting', { compacting: true }, ['the compacting of its conversation']],
  [
    'a subagent whose words move the cursor',
    { background: [{ id: 'b', kind: 'subagent', description: 'look\u001b[2J\naround' }] },
    ['subagent in the background: look around'],
  ],
  ['its own queue', { queue: ['x', 'y'] }, ['what waits in its own queue (2)']],
  ['words not sent', { typed: 3 }, ['what stands in its input line and was not sent']],
  ['a prompt given back', { draft: true }, ['what stands in its input line and was not sent']],
])('a switch breaks off %s', (_, more, told) => {
  expect(interruptions({ ...idle, ...more })).toEqual(told)
})

test.each<[Partial<Session>, string | undefined]>([
  [{}, undefined],
  [{ turn }, undefined],
  [{ managed: false }, 'it runs a command without a role'],
  [{ unsupervised: 'x' }, 'it is unsupervised, and is being stopped'],
])('%j: %s', (more, why) => {
  expect(unready({ ...idle, ...more })).toBe(why)
})

const roleOf = (more: Partial<RoleFile>) => completeRole({ name: 'r', instructions: 'i', ...more })
const reader = roleOf({ name: 'reader', capabilities: { can_read_files: true } })
const doer = roleOf({ name: 'doer', permissions: { allow: ['Bash', 'Write'] } })
const asker = roleOf({ name: 'asker' })
const bypass = roleOf({ name: 'bypass', permission_mode: 'bypassPermissions' })
const denier = roleOf({ name: 'denier', permissions: { allow: ['Bash'], deny: ['Bash(git push*)'] } })
const place = { cwd: '/w', tree: '/w', home: '/h', root: '/r' }
const facts = { '/w/x': { exists: false, real: '/w/x' } }
const write = { tool: 'Write', input: { file_path: '/w/x', content: '' } }
const read = { tool: 'Read', input: { file_path: '/w/x' } }
const push = { tool: 'Bash', input: { command: 'git push' } }

test.each([
  ['wider: the old one still refuses', reader, doer, write, 'deny'],
  ['narrower: the new one refuses already', doer, reader, write, 'deny'],
  ['a rule of the new one', doer, denier, push, 'deny'],
  ['a rule of the old one', denier, doer, push, 'deny'],
  ['what the new one would ask for is asked for', doer, asker, write, 'ask'],
  ['where nothing was asked, too', bypass, asker, push, 'ask'],
  ['both allow', doer, doer, write, 'allow'],
  ['reading goes on', doer, asker, read, 'none'],
] as const)('while it is switched: %s', (_, one, other, call, verdict: Verdict) => {
  const said = (role: typeof doer) => decide(role, { place, sandboxed: false }, call, facts)
  expect(during(said(one), said(other), other, call).verdict).toBe(verdict)
})

test('what it works in stays, whatever the role says of that', () => {
  const role = roleOf({
    root_dir: '/elsewhere',
    claude_config_dir: '/shared',
    worktree: { enabled: true, branch_from: 'x' },
  })
  const { claude_config_dir: _none, ...rest } = role
  expect(inPlace(role, { cwd: '/w' }, undefined)).toEqual({
    ...rest,
    root_dir: '/w',
    worktree: { ...role.worktree, enabled: false },
  })
  expect(inPlace(role, { cwd: '/trees/a', worktree: '/repository' }, '/c')).toEqual({
    ...rest,
    root_dir: '/repository',
    claude_config_dir: '/c',
    worktree: { ...role.worktree, enabled: true },
  })
})

test('a resume goes by the new role, without what was overridden in the old one', () => {
  const file: SessionFile = {
    agent: 'a',
    session_id: 's',
    agent_type: 'claude',
    role: 'reader',
    overrides: { model: 'opus' },
    cwd: '/w',
    arguments: ['--brief'],
    launched_at: '2026-01-01T00:00:00.000Z',
  }
  expect(renamed(file, 'doer')).toEqual({ ...file, role: 'doer', overrides: {}, switched: true })
})

test('the record knows how far it is, and the role it has come to', () => {
  const event = (fact: object): Event => ({ seq: 1, at: '', ...fact }) as Event
  const was = { role: 'reader', turns: 3 }
  const apply = (facts: readonly object[]) =>
    facts.reduce<typeof was | undefined>((state, fact) => reduceSwitch(state, event(fact)), was)
  const steps = stages.map((stage) => switchingFact('s', { ...going, stage }))
  expect(apply(steps)).toEqual({ ...was, switching: { ...going, stage: 'relaunching' } })
  const ends = [switchedFact('s', going, 'now'), unswitchedFact('s', going, 'why')] as const
  expect(apply([...steps, ends[0]])).toEqual({ role: 'doer', turns: 3 })
  expect(apply([...steps, ends[1]])).toEqual(was)
  expect(apply([{ type: 'session.newer', data: {} }])).toEqual(was)
  expect(reduceSwitch(undefined, event(steps[0] as object))).toBe(undefined)
  for (const { type, data } of [...steps, ...ends])
    expect(switchEvents[type as keyof typeof switchEvents].safeParse(data).success, type).toBe(true)
})
