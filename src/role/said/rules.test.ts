import { expect, test } from 'vitest'
import { planLines } from '../plan/rules.ts'
import { examplePlan, type Plan } from '../plan/schema.ts'
import { questionLines } from '../question/rules.ts'
import { exampleQuestion, type Question } from '../question/schema.ts'
import { cardIn, readable } from './rules.ts'

const plan: Plan = { type: 'plan', goal: 'It works', steps: [{ action: 'Do it' }] }
const asked: Question = { type: 'question', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }
const fenced = (value: unknown, word = 'json'): string =>
  `\`\`\`${word}\n${JSON.stringify(value, null, 2)}\n\`\`\``

test.each<[string, string, object | undefined]>([
  ['a plan in a fence', `Here it is:\n\n${fenced(plan)}\n\nSay yes.`, { kind: 'plan', plan }],
  ['a fence without a word', fenced(plan, ''), { kind: 'plan', plan }],
  ['a question', `I have to ask.\n${fenced(asked)}`, { kind: 'question', question: asked }],
  ['nothing else', JSON.stringify(plan), { kind: 'plan', plan }],
  ['no fence', `So:\n${JSON.stringify(plan, null, 2)}\nYes?`, { kind: 'plan', plan }],
  ['line ends of Windows', fenced(plan).replaceAll('\n', '\r\n'), { kind: 'plan', plan }],
  [
    'of two the last',
    `${fenced(plan)}\n${fenced({ ...plan, goal: 'Other' })}`,
    { kind: 'plan', plan: { ...plan, goal: 'Other' } },
  ],
  ['code before it', `\`\`\`ts\nconst x = {\n}\n\`\`\`\n${fenced(plan)}`, { kind: 'plan', plan }],
  ['fields nobody knows', fenced({ ...plan, more: 1 }), { kind: 'plan', plan }],
  ['the examples of the roles', fenced(examplePlan), { kind: 'plan', plan: examplePlan }],
  ['and of questions', fenced(exampleQuestion), { kind: 'question', question: exampleQuestion }],
  ['no steps', fenced({ ...plan, steps: [] }), undefined],
  ['steps that are none', fenced({ ...plan, steps: 'all' }), undefined],
  ['a block that never ends', `\`\`\`json\n${JSON.stringify(plan)}`, undefined],
  ['broken JSON', '```json\n{"type":"plan",\n```', undefined],
  ['other JSON', fenced({ a: 1 }), undefined],
  ['no text at all', '', undefined],
  ['too long a block', fenced({ ...plan, goal: 'x'.repeat(70_000) }), undefined],
])('%s', (_, text, card) => {
  expect(cardIn(text)).toEqual(card)
})

test('what is around it stays as it was', () => {
  expect(readable(`Before.\n\n${fenced(plan)}\n\nAfter:\n\`\`\`sh\nls\n\`\`\``)).toBe(
    'Before.\n\nPlan: It works\n  1. Do it\n\nAfter:\n```sh\nls\n```',
  )
  expect(readable('just words\n{ not json }')).toBe('just words\n{ not json }')
})

test.each([
  ['{\n', 200_000],
  ['```\n', 200_000],
  ['{\n}\n', 100_000],
  ['```json\n[\n', 100_000],
])('a text of nothing but %j is read in no time', (piece, times) => {
  const began = performance.now()
  expect(cardIn(piece.repeat(times))).toBe(undefined)
  expect(cardIn(`${piece.repeat(times)}}\n`)).toBe(undefined)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a plan as text', () => {
  const whole: Plan = {
    type: 'plan',
    goal: 'The parser is split',
    steps: [
      {
        action: 'Move the lexer',
        reason: 'It is used elsewhere',
        files: ['src/lex.ts', 'src/parse.ts'],
        check: 'npm test',
      },
      { action: 'Remove the old one' },
    ],
    risks: ['A cycle of imports'],
    prerequisites: ['A green tree'],
    questions: ['May the name change?'],
  }
  expect(planLines(whole)).toEqual([
    'Plan: The parser is split',
    '  Needed first:',
    '  - A green tree',
    '  1. Move the lexer',
    '     why: It is used elsewhere',
    '     files: src/lex.ts, src/parse.ts',
    '     check: npm test',
    '  2. Remove the old one',
    '  Risks:',
    '  - A cycle of imports',
    '  Open questions:',
    '  - May the name change?',
  ])
})

test('a question as text', () => {
  const whole: Question = {
    type: 'question',
    question: 'Which store?',
    context: 'Both work',
    severity: 'major',
    options: [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }],
    recommended: 'SQLite',
  }
  expect(questionLines(whole)).toEqual([
    'Question (major): Which store?',
    '  Known: Both work',
    '  1. SQLite (recommended): one file',
    '  2. PostgreSQL',
  ])
})

test('hostile words stay on their line, move nothing, and end', () => {
  const evil = '\u001b[2J\u001b]0;title\u0007ok\r\nPlan: mine\n\u202eType `rm -rf /`'
  const lines = [
    ...planLines({ ...plan, goal: evil, steps: Array(100).fill({ action: evil, files: [evil] }) }),
    ...questionLines({
      ...asked,
      question: evil,
      options: Array(50).fill({ label: evil, description: evil }),
    }),
  ]
  for (const line of lines) {
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(line.length).toBeLessThan(1300)
  }
  expect(lines.filter((line) => line.startsWith('Plan:') || line.startsWith('Type'))).toHaveLength(1)
  expect(lines).toContain('  … and 40 more')
  expect(lines).toContain('  … and 20 more')
  expect(lines.length).toBeLessThan(200)
})
