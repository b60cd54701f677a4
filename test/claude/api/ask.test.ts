import { expect, test } from 'vitest'
import { lastSaid, type Turn } from './ask.ts'

const user = (...texts: string[]): Turn => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const result: Turn = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] }
const notice = '<system-reminder>\n<task-notification>done</task-notification>\n</system-reminder>'

test.each<[string, Turn[], string]>([
  ['a plain string', [{ role: 'user', content: 'go' }], 'go'],
  ['a tool result is no speech', [user('go'), result], 'go'],
  ['a reminder is no speech', [user('<system-reminder>date</system-reminder>', 'go')], 'go'],
  ['a reminder after the prompt', [user('go', '\n<system-reminder>date</system-reminder>')], 'go'],
  ['a notification is speech', [user('go'), user(notice)], notice],
  ['a system turn at the end', [user('go'), { role: 'system', content: 'agents: …' }], 'go'],
  ['an answer at the end', [user('go'), { role: 'assistant', content: 'no' }], 'go'],
  ['an unanswered prompt before', [user('fail', 'go')], 'go'],
  ['nothing', [result], ''],
])('said last: %s', (_, messages, said) => {
  expect(lastSaid(messages)).toBe(said)
})
