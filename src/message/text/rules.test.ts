import { expect, test } from 'vitest'
import type { Message } from '../schema.ts'
import { bodyOf, longestPaste } from './rules.ts'

const message = (text: string, more: Partial<Message> = {}): Message => ({
  id: 'm1',
  from: { kind: 'agent', name: 'lead' },
  to: 'coder',
  text,
  lane: 'normal',
  at: 0,
  life: 'queued',
  ...more,
})
const place = { directory: '/sessions/coder', mayRead: true }
const long = 'a line\n'.repeat(longestPaste.lines)
const path = '/sessions/coder/messages/m1.md'

test.each([
  ['hello', true, false],
  ['x'.repeat(longestPaste.characters), true, false],
  ['x'.repeat(longestPaste.characters + 1), true, true],
  ['x\n'.repeat(longestPaste.lines - 1), true, false],
  [long, true, true],
  [long, false, false],
])('%#: becomes a file or not', (text, mayRead, filed) => {
  const body = bodyOf(message(text), { ...place, mayRead })
  expect(body).toEqual(
    filed ? { paste: expect.stringContaining(path), file: { path, text } } : { paste: text },
  )
})

test('the paste of a long message is short, on one line, and says where the rest is', () => {
  const { paste } = bodyOf(message(`\u001b[31m!first\n${long}`), place)
  expect(paste).toMatch(
    /^Read the whole message in \/sessions\/coder\/messages\/m1\.md\. It begins: !first a line/,
  )
  expect([paste.length < 500, paste.includes('\n'), paste.includes('\u001b')]).toEqual([true, false, false])
})

test('an expected response is asked for', () => {
  expect(bodyOf(message('do it', { expects: { reminded: 0 } }), place).paste).toBe(
    'do it\n\n(A response is expected. Send it with: agency send lead --closes m1 "...")',
  )
})
