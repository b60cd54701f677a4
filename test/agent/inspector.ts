// An independent look at work, by the real CLI and by its stand-in: what it decides, and that it can only read.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type InspectorOptions, inspectorOf, type Work } from '../../src/agent/inspector/inspector.ts'
import { claude } from '../../src/driver/claude/driver.ts'
import type { Call, Reply, Script } from '../../src/driver/scripted/scenario/schema.ts'
import type { Fact } from '../../src/journal/schema.ts'
import { fresh } from '../../src/review/record/rules.ts'
import type { Review, Setting } from '../../src/review/schema.ts'
import { off } from '../../src/review/setting/rules.ts'
import { completeRole } from '../../src/role/rules.ts'
import { programs } from '../../src/session/programs.ts'
import { snapshot } from '../../src/worktree/snapshot.ts'
import { binaries, type Rig } from '../twin/rig.ts'
import { bash, write } from '../twin/say.ts'

export const verdict = (said: object): Reply => ({
  calls: [{ name: 'StructuredOutput', input: { ...said } }],
})
const complete = verdict({ verdict: 'COMPLETE', summary: 'All of it is there.' })
const issues = verdict({ verdict: 'ISSUES', summary: 'No test.', message: 'Add a test.' })
const read = (file_path: string): Call => ({ name: 'Read', input: { file_path } })

const review: Review = {
  ...fresh('s', 1),
  state: 'blocked',
  turn: 1,
  prompts: [{ text: 'Fix the bug', at: 1 }],
}
const setting: Setting = {
  ...off,
  mode: 'always',
  reviewer: { kind: 'process', model: 'haiku', deadline_seconds: 120 },
}
/** This machine as if it had no bubblewrap. */
export const bare: Partial<InspectorOptions> = { find: async () => ({ cause: 'none here', fix: '' }) }

export type MakeRig = (scripts: (tree: string) => Script[]) => Promise<Rig>

/** What an agent does that wants to be believed: it leaves word for whoever comes after it, in every way there is. */
const arm = (tree: string, ran: string): void => {
  const put = (name: string, text: string): void => writeFileSync(join(tree, name), text)
  mkdirSync(join(tree, '.claude/skills/s'), { recursive: true })
  mkdirSync(join(tree, 'sub'))
  for (const name of ['CLAUDE.md', 'AGENTS.md', 'sub/CLAUDE.md', '.claude/CLAUDE.md']) put(name, 'EVILWORD\n')
  put('.claude/skills/s/SKILL.md', '---\nname: s\ndescription: EVILWORD\n---\nEVILWORD\n')
  const hook = [{ matcher: '*', hooks: [{ type: 'command', command: `echo hook >> ${ran}` }] }]
  const hooks = { SessionStart: hook, PreToolUse: hook, Stop: hook, UserPromptSubmit: hook }
  put(
    '.claude/settings.json',
    JSON.stringify({ hooks, model: 'sonnet', permissions: { allow: ['Bash', 'Write'] } }),
  )
  put(
    '.mcp.json',
    JSON.stringify({ mcpServers: { evil: { command: 'sh', args: ['-c', `echo mcp >> ${ran}`] } } }),
  )
  put('package.json', JSON.stringify({ scripts: { test: `echo npm >> ${ran}` } }))
  execFileSync('git', ['init', '-q', tree])
  execFileSync('git', ['-C', tree, 'config', 'core.fsmonitor', `echo monitor >> ${ran}; false`])
}

export const inspectorStage = async (make: MakeRig, scripts: (tree: string) => Script[], more = {}) => {
  let tree = ''
  const rig = await make((work) => {
    tree = join(work, 'tree')
    return scripts(tree)
  })
  const root = join(rig.work, 'root')
  const ran = join(rig.work, 'ran')
  for (const path of [root, tree]) mkdirSync(path)
  arm(tree, ran)
  writeFileSync(join(tree, 'a.ts'), 'export const a = 1\n')
  await snapshot({ root, session: 's', tree })
  writeFileSync(join(tree, 'a.ts'), 'export const a = 2\n')
  writeFileSync(join(tree, 'sub/b.ts'), 'export const b = 1\n')
  const facts: Fact[] = []
  const inspector = inspectorOf({
    root,
    env: {},
    programs,
    record: (...told) => void facts.push(...told),
    mask: async () => (text) => text,
    ...more,
  })
  onTestFinished(inspector.close)
  const env = rig.env()
  const work: Work = {
    agent: 'a',
    session: 's',
    directory: root,
    tree,
    role: completeRole({ name: 'r', instructions: 'i' }),
    setting,
    review,
    attempt: 't-1',
    now: await snapshot({ root, session: 's', tree }),
    called: {
      program: binaries[rig.program],
      driver: claude('2.1.325'),
      env,
      scenario: env.AGENCY_SCENARIO,
    },
  }
  const inspect = (changed: Partial<Work> = {}) =>
    inspector.inspect({ ...work, ...changed }, new AbortController().signal)
  const left = () => readdirSync(join(root, 'reviews'))
  return { rig, root, tree, ran, inspect, facts, left }
}

const once =
  (...replies: Reply[]) =>
  () => [{ match: 'is to be reviewed', replies }]

/** All that it could try before it says COMPLETE, one after the other. */
const attempts = (tree: string): Script[] => {
  const calls: Call[] = [
    read(join(tree, 'a.ts')),
    read(join(tree, 'sub/b.ts')),
    write(join(tree, 'a.ts'), 'changed\n'),
    { name: 'Edit', input: { file_path: join(tree, 'a.ts'), old_string: '2', new_string: '3' } },
    bash(`touch ${tree}/new`),
    bash(`echo x > ${tree}/a.ts`),
    bash(`cd ${tree} && git status`),
    bash(`cd ${tree} && npm test`),
    bash(`ls ${tree}`),
  ]
  return [{ match: 'is to be reviewed', replies: [...calls.map((call) => ({ calls: [call] })), complete] }]
}

export const inspectorCases: Readonly<Record<string, (make: MakeRig) => Promise<void>>> = {
  'COMPLETE, within walls: with its cost and its model': async (make) => {
    const { inspect, facts, left } = await inspectorStage(make, once(complete))
    const said = {
      kind: 'verdict',
      verdict: 'COMPLETE',
      summary: 'All of it is there.',
      cost_usd: expect.any(Number),
      model: 'claude-haiku-5-5',
      walls: true,
    }
    expect(await inspect()).toEqual(said)
    expect(facts).toMatchObject([{ type: 'review.inspected', data: { attempt: 't-1', verdict: 'COMPLETE' } }])
    expect(left()).toEqual([])
  },

  'ISSUES: with what is to be done': async (make) => {
    const { inspect } = await inspectorStage(make, once(issues))
    expect(await inspect()).toMatchObject({ verdict: 'ISSUES', summary: 'No test.', message: 'Add a test.' })
  },

  'it can only read, and nothing of the project reaches it or runs': async (make) => {
    const { inspect, tree, ran, rig } = await inspectorStage(make, attempts)
    expect(await inspect()).toMatchObject({ verdict: 'COMPLETE', walls: true })
    expect(readFileSync(join(tree, 'a.ts'), 'utf8')).toBe('export const a = 2\n')
    expect(existsSync(join(tree, 'new'))).toBe(false)
    expect(existsSync(ran)).toBe(false)
    expect(readdirSync(rig.config)).not.toContain('projects')
  },

  'without walls it can only read too, and has no shell': async (make) => {
    const { inspect, tree, ran } = await inspectorStage(make, attempts, bare)
    expect(await inspect()).toMatchObject({ verdict: 'COMPLETE', walls: false })
    expect(readFileSync(join(tree, 'a.ts'), 'utf8')).toBe('export const a = 2\n')
    expect(existsSync(join(tree, 'new'))).toBe(false)
    expect(existsSync(ran)).toBe(false)
  },

  'it says COMPLETE in a text: no verdict': async (make) => {
    const text = '{"verdict":"COMPLETE","summary":"x"}'
    const { inspect } = await inspectorStage(make, once({ text, times: 0 }))
    expect(await inspect()).toMatchObject({ kind: 'failed' })
  },

  'it answers twice: no verdict': async (make) => {
    const both = [...(issues.calls ?? []), ...(complete.calls ?? [])]
    const { inspect } = await inspectorStage(make, once({ calls: both }))
    expect(await inspect()).toEqual({
      kind: 'failed',
      why: 'the reviewer failed: it answered more than once',
    })
  },

  'its API fails: no verdict': async (make) => {
    const error = { status: 400, type: 'invalid_request_error', message: 'no such model' }
    const { inspect } = await inspectorStage(make, once({ error, times: 0 }))
    expect(await inspect()).toEqual({ kind: 'failed', why: expect.stringContaining('400') })
  },

  'it hangs: no verdict, and nothing of it is left': async (make) => {
    const { inspect, left } = await inspectorStage(make, once({ ...complete, delay_ms: 600_000 }))
    const short = { ...setting, reviewer: { ...setting.reviewer, deadline_seconds: 6 } }
    expect(await inspect({ setting: short })).toEqual({
      kind: 'failed',
      why: 'the reviewer failed: it did not answer in time',
    })
    expect(left()).toEqual([])
  },

  'another model is asked too': async (make) => {
    const { inspect } = await inspectorStage(make, once({ ...complete, times: 0 }))
    const two = { ...setting, reviewer: { ...setting.reviewer, second_opinion: { model: 'sonnet' } } }
    expect(await inspect({ setting: two })).toMatchObject({
      verdict: 'COMPLETE',
      opinions: 'claude-sonnet-5-5: COMPLETE. All of it is there.',
    })
  },
}
