// What is answered only once it is on the disk: a host that dies before has not answered, and is told again.
import { expect, test } from 'vitest'
import { claude } from '../driver/claude/driver.ts'
import { hooksOf } from './hooks.ts'
import { latch } from './latch.ts'

const input = (event: string, more: object) => ({
  session_id: '00000000-0000-4000-8000-000000000000',
  transcript_path: '/t.jsonl',
  cwd: '/w',
  hook_event_name: event,
  ...more,
})

test.each([
  ['SessionStart', { source: 'startup' }, true],
  ['UserPromptSubmit', { prompt: 'x', prompt_id: 'p' }, true],
  ['Stop', { stop_hook_active: false, last_assistant_message: '', prompt_id: 'p' }, true],
  ['Notification', { notification_type: 'idle_prompt', message: '' }, false],
])('%s waits for the disk', async (event, more, waits) => {
  const disk = latch()
  const told: string[] = []
  const hooks = hooksOf({
    driver: claude('2.1.325'),
    tree: '/w',
    subject: 's',
    tell: () => void told.push('session'),
    append: async () => {},
    record: () => {},
    written: () => disk.promise,
    refused: () => {},
    heard: () => {},
  })
  const answer = hooks.answer('1', input(event, more)).then(() => void told.push('answered'))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toEqual(waits ? ['session'] : ['session', 'answered'])
  disk.resolve()
  await answer
  expect(told).toEqual(['session', 'answered'])
})
