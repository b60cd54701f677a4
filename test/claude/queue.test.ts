// Messages and keys that come while a turn runs, as transcript and hooks tell of them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Rig } from '../twin/rig.ts'
import { bash, says, turn } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { keys } from '../twin/terminal.ts'
import { type Entry, transcript, untilEntry, untilResults } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const events = [
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
]
const second = '[agency m2 from x]\nthe second message'
const third = '[agency m3 from x]\nthe third message'

const open = async (rig: Rig, prompt: string) => {
  const listener = await rig.listen()
  const terminal = await rig.terminal(['--permission-mode', 'manual', '--allowedTools=Bash'], {
    settings: hooked(each(events, http(listener.url))),
  })
  await terminal.send(prompt)
  const { body } = await listener.until('UserPromptSubmit')
  return { terminal, listener, send: terminal.send, session: body.session_id, first: body }
}
const operations = (entries: Entry[]) =>
  entries
    .filter((entry) => entry.type === 'queue-operation')
    .map(({ operation, reason, content }) => ({
      operation,
      ...(reason !== undefined && { reason }),
      ...(content !== undefined && { content }),
    }))

/** Only lines with a source are prompts. */
const sources = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.promptSource === undefined ? [] : [entry.promptSource]))

twin('a message to an idle agent is not queued', async (make) => {
  const rig = await make([says('go', 'Hello.')])
  const { listener, session } = await open(rig, 'go')
  await listener.until('Stop')
  await untilEntry(rig, session, 'the answer', (entry) => entry.type === 'assistant')
  expect(operations(await transcript(rig, session))).toEqual([])
})

twin('a message sent during a tool call goes in with its result', async (make) => {
  const rig = await make(({ dir }) => [
    {
      match: 'go',
      replies: [
        { calls: [bash(`until [ -e '${dir}/open' ]; do sleep 0.1; done`)] },
        { text: 'Both are done.', times: 0 },
      ],
    },
  ])
  const { listener, send, session, first } = await open(rig, 'go')
  await listener.until('PreToolUse')
  await send(second)
  const queued = await listener.until('UserPromptSubmit', 2)
  // The turn that is running gave its id to the message, though it is not in that turn yet.
  expect([queued.body.prompt, queued.body.prompt_id]).toEqual([second, first.prompt_id])
  await untilEntry(rig, session, 'enqueue', (entry) => entry.operation === 'enqueue')
  await rig.write('open', '')
  await listener.until('Stop')
  await untilEntry(rig, session, 'remove', (entry) => entry.operation === 'remove')
  const result = await untilEntry(
    rig,
    session,
    'the result',
    (entry) => entry.type === 'user' && JSON.stringify(entry.message).includes('"tool_result"'),
  )
  expect(result.promptId).toBe(first.prompt_id)
  expect(sources(await transcript(rig, session))).toEqual(['typed'])
  expect(operations(await transcript(rig, session))).toMatchObject([
    { operation: 'enqueue', content: second },
    { operation: 'remove', reason: 'absorbed_mid_turn', content: second },
  ])
  expect(listener.events()).toEqual([
    'UserPromptSubmit',
    'PreToolUse',
    'UserPromptSubmit',
    'PostToolUse',
    'Stop',
  ])
})

twin('a message sent during the closing words becomes the next turn', async (make) => {
  const words = 'a slow answer '.repeat(40)
  const rig = await make([says('second message', 'The second.'), says('go', words, { piece_delay_ms: 1000 })])
  const { terminal, listener, send, session } = await open(rig, 'go')
  await terminal.sees('a slow answer')
  await send(second)
  await listener.until('Stop', 2)
  await untilEntry(rig, session, 'dequeue', (entry) => entry.operation === 'dequeue')
  const [first, next, ...rest] = operations(await transcript(rig, session))
  expect([first, rest]).toEqual([{ operation: 'enqueue', content: second }, []])
  // It names no message: which one it was follows from the order.
  expect(next).toEqual({ operation: 'dequeue' })
  await untilEntry(rig, session, 'the second prompt', (entry) => entry.promptSource === 'queued')
  expect(sources(await transcript(rig, session))).toEqual(['typed', 'queued'])
})

twin('all that is queued behind the closing words is one turn, under the id of the last', async (make) => {
  const words = 'a slow answer '.repeat(40)
  const rig = await make([says('message', 'Heard.'), says('go', words, { piece_delay_ms: 1000 })])
  const { terminal, listener, send, session } = await open(rig, 'go')
  await terminal.sees('a slow answer')
  await send(second)
  await send('[agency m3 from x]\nthe third message')
  const { body } = await listener.until('Stop', 2)
  await untilEntry(rig, session, 'the last prompt', (entry) => entry.promptId === body.prompt_id)
  const prompts = (await transcript(rig, session)).filter((entry) => entry.promptSource === 'queued')
  expect(prompts.map((entry) => JSON.stringify(entry.message).includes('third'))).toEqual([false, true])
  expect(prompts[0]?.promptId).not.toBe(body.prompt_id)
  expect(operations(await transcript(rig, session)).map(({ operation }) => operation)).toEqual([
    'enqueue',
    'enqueue',
    'dequeue',
    'dequeue',
  ])
})

twin(
  'Esc in a tool call: no Stop, the transcript says interrupted, the call counts as refused',
  async (make) => {
    const rig = await make([turn('go', [bash('touch began; sleep 60')]), says('next', 'Yes.')])
    const { terminal, listener, send, session } = await open(rig, 'go')
    await until('the call to begin', () => existsSync(join(rig.work, 'began')))
    await terminal.sees(/esc to interrupt/i)
    terminal.write(keys.escape)
    await untilEntry(rig, session, 'an interruption', (entry) =>
      JSON.stringify(entry.message ?? '').includes('[Request interrupted by user'),
    )
    const [said] = await untilResults(rig, session)
    expect(said?.is_error).toBe(true)
    await send('next')
    await listener.until('Stop')
    expect(listener.events().filter((event) => event !== 'PostToolUseFailure')).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'UserPromptSubmit',
      'Stop',
    ])
  },
)

twin('Esc before any answer gives the prompt back and leaves no trace of an interruption', async (make) => {
  const rig = await make([says('unanswered', 'late', { delay_ms: 120_000 }), says('next', 'Yes.')])
  const { terminal, listener, session } = await open(rig, 'unanswered')
  await terminal.sees(/esc to interrupt/i)
  terminal.write(keys.escape)
  await terminal.sees(/^❯\s+unanswered/m)
  await terminal.gone(/esc to interrupt/i)
  expect(listener.events()).toEqual(['UserPromptSubmit'])
  expect(JSON.stringify(await transcript(rig, session))).not.toContain('[Request interrupted')
})

twin('all that was queued becomes one turn, and its hooks go by the id of the last', async (make) => {
  const rig = await make([
    says('third message', 'Both.'),
    says('second message', 'Both.'),
    says('go', 'a slow answer '.repeat(40), { piece_delay_ms: 500 }),
  ])
  const { terminal, listener, send, session } = await open(rig, 'go')
  await terminal.sees('a slow answer')
  await send(second)
  await listener.until('UserPromptSubmit', 2)
  await send(third)
  await listener.until('UserPromptSubmit', 3)
  await listener.until('Stop', 2)
  await untilEntry(rig, session, 'the answer', (entry) =>
    JSON.stringify(entry.message ?? '').includes('Both.'),
  )
  const told = await transcript(rig, session)
  expect(sources(told)).toEqual(['typed', 'queued', 'queued'])
  const [, , last] = told.filter((entry) => entry.promptSource !== undefined)
  expect(listener.of('Stop').map(({ prompt_id }) => prompt_id)[1]).toBe(last?.promptId)
  expect(listener.events().filter((event) => event === 'Stop')).toHaveLength(2)
})

twin(
  'Esc with a queue begins what is queued; the line of the interruption may stand behind it',
  async (make) => {
    const rig = await make([says('second message', 'The second.'), says('go', 'late', { delay_ms: 120_000 })])
    const { terminal, listener, send, session } = await open(rig, 'go')
    await terminal.sees(/esc to interrupt/i)
    await send(second)
    await listener.until('UserPromptSubmit', 2)
    terminal.write(keys.escape)
    await listener.until('Stop')
    await untilEntry(rig, session, 'the answer', (entry) =>
      JSON.stringify(entry.message ?? '').includes('The second'),
    )
    const told = await transcript(rig, session)
    expect(sources(told)).toEqual(['typed', 'queued'])
    const texts = told.map((entry) => JSON.stringify(entry.message ?? ''))
    const line = texts.findIndex((text) => text.includes('[Request interrupted by user'))
    const answer = texts.findIndex((text) => text.includes('The second.'))
    // On either side of the prompt that was queued, but before the answer to it.
    expect([line > 0, line < answer]).toEqual([true, true])
  },
)

twin('Esc while the end of a turn is asked about: the transcript says interrupted', async (make) => {
  const rig = await make([says('go', 'Hello.')])
  const listener = await rig.listen((hook) => (hook.event === 'Stop' ? 'hang' : undefined))
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url))),
  })
  await terminal.send('go')
  const { body } = await listener.until('Stop')
  await terminal.sees(/esc to interrupt/i)
  terminal.write(keys.escape)
  await untilEntry(rig, body.session_id, 'an interruption', (entry) =>
    JSON.stringify(entry.message ?? '').includes('[Request interrupted by user'),
  )
})

twin(
  'a message sent while the end of a turn is asked about is told with the id of that turn',
  async (make) => {
    const rig = await make([says('second message', 'The second.'), says('go', 'Hello.')])
    let open = (): void => {}
    const opened = new Promise<undefined>((resolve) => {
      open = () => resolve(undefined)
    })
    const listener = await rig.listen((hook) => (hook.event === 'Stop' ? opened : undefined))
    const terminal = await rig.terminal(['--permission-mode', 'manual'], {
      settings: hooked(each(events, http(listener.url))),
    })
    await terminal.send('go')
    const { body } = await listener.until('Stop')
    await terminal.send(second)
    const queued = await listener.until('UserPromptSubmit', 2)
    expect(queued.body.prompt_id).toBe(body.prompt_id)
    open()
    await listener.until('Stop', 2)
    await untilEntry(rig, body.session_id, 'its prompt', (entry) => entry.promptSource === 'queued')
    expect(sources(await transcript(rig, body.session_id))).toEqual(['typed', 'queued'])
  },
)
