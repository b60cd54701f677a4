import { expect, test } from 'vitest'
import { openFilter } from '../filter/rules.ts'
import { isKnown, popped, pushed, replayed, restored, switchedTo, untouched } from './rules.ts'

test('what was switched is remembered, and brought to another window', () => {
  const modes = pushed(switchedTo(switchedTo(untouched, [25], false), [1049, 2004], true), 5)
  expect(modes.alternate).toBe(true)
  expect(replayed(modes)).toBe('\u001b[?25l\u001b[?2004h\u001b[>5u')
  expect(replayed(switchedTo(modes, [25], true))).toBe('\u001b[?2004h\u001b[>5u')
  expect(replayed(untouched)).toBe('')
  expect(popped(modes, 9).keyboard).toEqual([])
})

test('everything that may be switched is switched back', () => {
  const undone = restored(untouched)
  for (let mode = 0; mode < 3000; mode += 1) {
    const screen = [47, 1047, 1048, 1049].includes(mode)
    const on = [7, 8, 25].includes(mode)
    if (isKnown(mode) && !screen) expect(undone).toContain(`\u001b[?${mode}${on ? 'h' : 'l'}`)
  }
  // To leave a screen that one is not in would move the cursor.
  expect(undone).not.toContain('1049')
  const inside = pushed(switchedTo(untouched, [1049], true), 1)
  expect(restored(inside)).toMatch(/^.\[<1u.\[\?1049l.\[<1u/s)
})

test('what a window was brought to is what the filter sees in it', () => {
  const filter = openFilter()
  filter.pass('\u001b[?1h\u001b[?25l\u001b[?1002;1006h\u001b[4h\u001b=\u001b[>1u\u001b[>4;2m\u001b[6 q')
  const again = openFilter()
  again.pass(replayed(filter.modes()))
  expect(again.modes()).toEqual(filter.modes())
})
