import { expect, test } from 'vitest'
import { type Dialog, openDialog } from './dialog.ts'
import type { Key } from './keys/rules.ts'

const question = { title: ['Well?'], options: ['Yes', 'Maybe', 'No'], preset: 0 }
const open = (more: object = {}) => {
  let at = 0
  const dialog = openDialog(
    { ...question, ...more },
    () => undefined,
    () => at,
  )
  return {
    dialog,
    after: (ms: number) => {
      at += ms
    },
  }
}
const unanswered = Symbol('unanswered')
const now = (dialog: Dialog): Promise<unknown> => Promise.race([dialog.answer, Promise.resolve(unanswered)])

test('a dialog that just came up is deaf, then it hears', async () => {
  const { dialog, after } = open()
  after(199)
  dialog.press({ kind: 'enter' })
  dialog.press({ kind: 'text', text: '3' })
  expect(await now(dialog)).toBe(unanswered)
  after(1)
  dialog.press({ kind: 'text', text: '2' })
  expect(await dialog.answer).toBe(1)
})

test.each<[Key[], number]>([
  [[{ kind: 'enter' }], 0],
  [[{ kind: 'down' }, { kind: 'enter' }], 1],
  [[{ kind: 'down' }, { kind: 'down' }, { kind: 'down' }, { kind: 'up' }, { kind: 'enter' }], 1],
  [[{ kind: 'escape' }], 2],
  [[{ kind: 'interrupt' }], 2],
  [[{ kind: 'paste', text: '3' }, { kind: 'enter' }], 0],
  [
    [
      { kind: 'text', text: '9' },
      { kind: 'text', text: 'x' },
      { kind: 'text', text: '3' },
    ],
    2,
  ],
])('%j chooses %i', async (keys, choice) => {
  const { dialog, after } = open()
  after(200)
  for (const key of keys) dialog.press(key)
  expect(await dialog.answer).toBe(choice)
})

test('it shows what is marked, with numbers or without, and can be taken away', async () => {
  const { dialog } = open()
  expect(dialog.lines()).toEqual(['Well?', '❯ 1. Yes', '  2. Maybe', '  3. No'])
  expect(open({ preset: 2, plain: true }).dialog.lines().at(-1)).toBe('❯ No')
  dialog.cancel()
  expect(await dialog.answer).toBe(-1)
})
