import { expect, test } from 'vitest'
import { fillTemplate, unknownPlaceholders } from './rules.ts'

const values = {
  Number: '7',
  Title: '{{.Body}} $& $1',
  Body: 'b',
  Author: 'me',
  URL: 'https://x/7',
  Repo: 'o/r',
  Branch: 'claude/issue-7',
}

test.each([
  ['#{{.Number}}: {{ .Title }}', '#7: {{.Body}} $& $1'],
  ['{{Number}} {{.Nope}} {{.constructor}} {.Number}', '7 {{.Nope}} {{.constructor}} {.Number}'],
  ['{{.Repo}} {{.Branch}} {{.Author}} {{.URL}}', 'o/r claude/issue-7 me https://x/7'],
])('%j is filled, each value as it is', (text, expected) => {
  expect(fillTemplate(text, values)).toBe(expected)
})

test('what nobody fills is found once each', () => {
  expect(unknownPlaceholders('{{.Titel}} {{.Titel}} {{.Title}} {{.Whatever}}')).toEqual([
    { name: 'Titel', meant: 'Title' },
    { name: 'Whatever' },
  ])
})
