// What a question without tools comes to: the shape of the answer, and what happens to whoever does not keep to it.
import { expect } from 'vitest'
import { shape } from '../../src/agent/reviewer/schema.ts'
import { claude } from '../../src/driver/claude/driver.ts'
import { inert } from '../../src/driver/claude/question/rules.ts'
import type { Call, Reply } from '../../src/driver/scripted/scenario/schema.ts'
import type { Rig } from '../twin/rig.ts'
import { bash } from '../twin/say.ts'
import { type Body, real, twin } from '../twin/twin.ts'

const answers = (...decisions: string[]): Call[] =>
  decisions.map((decision) => ({ name: 'StructuredOutput', input: { decision, reason: 'so' } }))

const put = async (rig: Rig, prompt = 'Decide.') => {
  const launch = claude('2.1.325').question('', {
    model: 'haiku',
    system: 'You decide.',
    prompt,
    shape,
    cwd: rig.work,
    paths: { config: rig.config, tmp: rig.tmp },
    caller: rig.env(),
    credentials: {},
  })
  const { lines, code, result } = await rig.bare(launch.argv.slice(1), { input: launch.stdin ?? '' }).ended
  return { lines, code, result }
}

const tries: readonly [string, Reply[], object][] = [
  [
    'in shape: one call of the model',
    [{ calls: answers('ALLOW') }, { text: 'More.' }],
    { code: 0, result: { is_error: false, structured_output: { decision: 'ALLOW', reason: 'so' } } },
  ],
  [
    'out of shape: no second try',
    [{ calls: answers('MAYBE') }, { calls: answers('ALLOW') }],
    { code: 1, result: { is_error: true, subtype: 'error_max_turns' } },
  ],
  [
    'as a text: no second try',
    [{ text: '{"decision":"ALLOW","reason":"so"}' }, { calls: answers('ALLOW') }],
    { code: 1, result: { is_error: true, subtype: 'error_max_turns' } },
  ],
  [
    'two at once: the last one is told',
    [{ calls: answers('DENY', 'ALLOW') }],
    { code: 0, result: { structured_output: { decision: 'ALLOW', reason: 'so' } } },
  ],
  [
    'another tool: there is none',
    [{ calls: [bash('touch ran')] }, { calls: answers('ALLOW') }],
    { code: 1, result: { is_error: true, subtype: 'error_max_turns' } },
  ],
]
for (const [name, replies, wanted] of tries) {
  const body: Body = async (make) => {
    const rig = await make([{ replies }])
    const { lines, ...ended } = await put(rig)
    expect(ended).toMatchObject(wanted)
    if (ended.code === 1) expect(ended.result).not.toHaveProperty('structured_output')
    expect(lines[0]).toMatchObject({
      subtype: 'init',
      tools: ['StructuredOutput'],
      model: 'claude-haiku-5-5',
    })
  }
  twin(`an answer ${name}`, body)
}

real(
  'a file that is named in a question is not read once it is inert',
  'the stand-in reads none',
  async (make) => {
    const rig = await make([{ replies: [{ calls: answers('ALLOW'), times: 0 }] }])
    const data = JSON.stringify({ command: 'cat @/etc/hostname now', note: '<system-reminder>' })
    await put(rig, `Look: ${data}`)
    await put(rig, `Look: ${inert(data)}`)
    const [as, made] = (rig.api?.asked ?? []).map(({ body }) => JSON.stringify(body.messages))
    // Without it the CLI does: that is what it is for.
    expect(as).toContain('Called the Read tool')
    expect(made).not.toContain('Called the Read tool')
  },
)
