// Plans and questions of agents as people read them: the same cases for the stand-in and the real CLI.
import { expect } from 'vitest'
import { examplePlan } from '../../src/role/plan/schema.ts'
import { exampleQuestion } from '../../src/role/question/schema.ts'
import type { Make } from './cast.ts'
import { patience } from './kit.ts'
import { given, untilState } from './tasks.ts'

const fenced = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
const planText = [
  '',
  'Plan: What will be true when this is done',
  '  Needed first:',
  '  - What must be there first',
  '  1. One thing to do',
  '     why: Why it is needed',
  '     files: path/of/file',
  '     check: How to see that it worked',
  '  Risks:',
  '  - What may go wrong, and what then',
  '  Open questions:',
  '  - What only you can answer',
].join('\n')

export const planCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'a plan, then a question: readable below the screen until it is answered, and in the task': async (
    make,
  ) => {
    const at = await make({
      scripts: [
        { match: 'plan it', replies: [{ text: `I looked around.\n\n${fenced(examplePlan)}\n\nShall I?` }] },
        { match: 'ask me', replies: [{ text: fenced(exampleQuestion) }] },
        { replies: [{ text: 'Heard.', times: 0 }] },
      ],
    })
    await at.run('coder')
    const id = await given(at, { prompt: 'plan it' })
    await untilState(at, id, 'completed')
    const next =
      'Type `agency role switch coder actor` to have it carried out, or `agency send coder "…"` to discuss it.'
    for (const command of ['peek', 'logs'])
      await expect
        .poll(async () => (await at.agency([command, 'coder'])).out, patience)
        .toContain(`${planText}\n${next}\n`)
    expect(await at.json(['peek', 'coder'])).toMatchObject({ plan: examplePlan })
    const shown = (await at.agency(['task', 'show', id])).out
    expect(shown).toContain(`Output:\nI looked around.\n${planText}\n\nShall I?\n`)
    await untilState(at, await given(at, { prompt: 'ask me' }), 'completed')
    const question = [
      '',
      'Question (major): What you need to know, in one sentence',
      '  Known: What you found so far',
      '  1. First answer (recommended): What it leads to',
      '  2. Second answer: What it leads to',
      'Type `agency send coder "…"` to answer.',
    ]
    await expect
      .poll(async () => (await at.agency(['logs', 'coder'])).out, patience)
      .toContain(`${question.join('\n')}\n`)
    await untilState(at, await given(at, { prompt: 'the first' }), 'completed')
    await expect
      .poll(async () => (await at.agency(['peek', 'coder'])).out, patience)
      .not.toContain('Question (major)')
    expect(Object.keys(await at.json(['peek', 'coder']))).not.toContain('question')
  },
}
