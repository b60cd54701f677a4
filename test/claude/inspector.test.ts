import { expect, test } from 'vitest'
import { bare, inspectorCases, inspectorStage, type MakeRig, verdict } from '../agent/inspector.ts'
import { makeRig } from '../twin/rig.ts'
import { bash } from '../twin/say.ts'
import { blocks, toolResults } from './api/ask.ts'

const make: MakeRig = (scripts) => makeRig('claude', ({ work }) => scripts(work))
for (const [name, run] of Object.entries(inspectorCases)) test(`claude: ${name}`, () => run(make), 120_000)

const complete = verdict({ verdict: 'COMPLETE', summary: 'x' })

test.each([true, false])('claude: what is sent, and what it may use; walls: %s', async (walls) => {
  const outside = { name: 'Read', input: { file_path: '/etc/hostname' } }
  const scripts = (tree: string) => [
    {
      replies: [
        { calls: [{ name: 'Read', input: { file_path: `${tree}/sub/b.ts` } }] },
        { calls: [bash(`cat ${tree}/a.ts`)] },
        { calls: [bash(`cd ${tree}`)] },
        { calls: [bash('git status')] },
        { calls: [outside] },
        complete,
      ],
    },
  ]
  const { inspect, rig } = await inspectorStage(make, scripts, walls ? {} : bare)
  expect(await inspect()).toMatchObject({ verdict: 'COMPLETE', walls })
  const asked = rig.api?.asked ?? []
  const { body, said } = asked[0] ?? expect.fail('nobody was asked')
  expect(body.model).toBe('claude-haiku-5-5')
  const offered = (body.tools ?? [])
    .map(({ name }) => name)
    .filter((name) => name !== 'DeferredToolPlaceholder')
  expect(offered.sort()).toEqual([...(walls ? ['Bash'] : []), 'Read', 'StructuredOutput'])
  const system = blocks(body.system ?? '').map(({ text }) => text ?? '')
  expect(system.at(-1)).toMatch(/^You review the work[\s\S]*# What to look for/)
  const [, mark = ''] = /begin prompts ([0-9a-f]{24})/.exec(said) ?? []
  expect(said.split('\n').filter((line) => line.includes(mark))).toHaveLength(8)
  const lines = said.split('\n')
  expect(lines).toContain('{"text":"Fix the bug"}')
  expect(lines).toContain('"+export const a = 2"')
  // Nothing but what we have put there, whatever lies in the tree.
  expect(JSON.stringify(asked.map((one) => one.body))).not.toContain('EVILWORD')
  const results = toolResults(asked.at(-1)?.body ?? body).map(({ content }) => JSON.stringify(content))
  expect(results[0]).toContain('export const b = 1')
  expect(results[1]).toContain(walls ? 'export const a = 2' : 'No such tool')
  expect(results[3]).toContain(walls ? 'not a git repository' : 'No such tool')
  expect(results[4]).toMatch(/haven't granted|does not exist/)
})
