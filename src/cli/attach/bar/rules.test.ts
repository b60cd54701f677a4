import { expect, test } from 'vitest'
import { barText, drawnBar, type Shown } from './rules.ts'

const key = 'ctrl-\\'
const facts = { role: 'actor', state: 'blocked (permission: Bash)', needsYou: true, costUsd: 0.416 }

const table: readonly (readonly [Shown, number, string])[] = [
  [
    { agent: 'coder', key, facts },
    72,
    ' coder | actor | blocked (permission: Bash)      $0.42  Ctrl-\\ detaches ',
  ],
  [{ agent: 'coder', key, facts: undefined }, 40, ' coder | host away      Ctrl-\\ detaches '],
  [{ agent: 'coder', key, facts: { state: 'idle' } }, 30, ' coder | idle '.padEnd(30)],
  [{ agent: 'coder', key, facts, notice: 'takes no input now' }, 30, ' coder | actor | takes no inpu'],
  // What others wrote cannot act, and a wide character cannot push the rest out.
  [{ agent: 'x', key, facts: { state: '\u001b]52;c;eA==\u0007\u4f60\nred' } }, 12, ' x | ? red  '],
]
test.each(table)('%#', (shown, columns, text) => expect(barText(shown, columns)).toBe(text))

test('it is drawn on the last row, in one line, and gives the cursor back', () => {
  const drawn = drawnBar({ agent: 'coder', key, facts }, { columns: 60, rows: 30 })
  expect(drawn.startsWith('\u001b7')).toBe(true)
  expect(drawn.endsWith('\u001b8')).toBe(true)
  expect(drawn).toContain('\u001b[30;1H')
  expect(drawn).not.toContain('\n')
})
