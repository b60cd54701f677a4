// Terminal mode: the permission dialog and the hook are asked at the same time. Whoever answers first wins.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Answer, Listener } from '../twin/listen.ts'
import type { Rig } from '../twin/rig.ts'
import { bash, turn } from '../twin/say.ts'
import { each, hooked, http, permit } from '../twin/settings.ts'
import { keys, question } from '../twin/terminal.ts'
import { untilEntry, untilResults } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const events = [
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'Stop',
]

/** A gate that the case opens when it wants the held hook answered. */
const gate = () => {
  let open: (answer: Answer) => void = () => undefined
  const opened = new Promise<Answer>((done) => {
    open = done
  })
  return { opened, open: (answer: Answer) => open(answer) }
}

const begin = async (rig: Rig, listener: Listener, prompt = 'go') => {
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url, { timeout: 3600 }))),
  })
  await terminal.send(prompt)
  return terminal
}
const ran = (rig: Rig) => existsSync(join(rig.work, 'ran'))

twin('a fast hook answers for the person', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(({ event }) =>
    event === 'PermissionRequest' ? permit('allow') : undefined,
  )
  const terminal = await begin(rig, listener)
  await listener.until('Stop')
  expect(ran(rig)).toBe(true)
  await terminal.gone(question)
})

twin(
  'while a slow hook thinks the dialog is up; a person who presses 1 wins over its later denial',
  async (make) => {
    const rig = await make([turn('go', [bash('touch ran')])])
    const slow = gate()
    const listener = await rig.listen(({ event }) =>
      event === 'PermissionRequest' ? slow.opened : undefined,
    )
    const terminal = await begin(rig, listener)
    await listener.until('PermissionRequest')
    await terminal.answer('1')
    await listener.until('PostToolUse')
    slow.open(permit('deny', { message: 'too late' }))
    await listener.until('Stop')
    expect(ran(rig)).toBe(true)
    const [said] = await untilResults(rig, listener.hooks[0]?.body.session_id ?? '')
    expect(said?.is_error).toBe(false)
  },
)

twin('a slow hook that answers first takes the dialog away', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const slow = gate()
  const listener = await rig.listen(({ event }) => (event === 'PermissionRequest' ? slow.opened : undefined))
  const terminal = await begin(rig, listener)
  await terminal.sees(question)
  slow.open(permit('deny', { message: 'not this one' }))
  await terminal.gone(question)
  await listener.until('Stop')
  expect(ran(rig)).toBe(false)
  const [said] = await untilResults(rig, listener.hooks[0]?.body.session_id ?? '')
  expect(said).toMatchObject({ is_error: true, text: expect.stringContaining('not this one') })
})

twin('a hook without an opinion leaves it to the dialog', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen()
  const terminal = await begin(rig, listener)
  await terminal.answer('1')
  await listener.until('Stop')
  expect(ran(rig)).toBe(true)
})

for (const [name, key] of Object.entries({ No: 'n', Esc: keys.escape })) {
  twin(`after ${name} in the dialog no hook fires; the transcript tells`, async (make) => {
    const rig = await make([turn('go', [bash('touch ran')]), turn('next', [])])
    const slow = gate()
    const listener = await rig.listen(({ event }) =>
      event === 'PermissionRequest' ? slow.opened : undefined,
    )
    const terminal = await begin(rig, listener)
    const { body } = await listener.until('PermissionRequest')
    const screen = await terminal.sees(question)
    // The number of options varies; "No" is the last.
    const no = screen.match(/(\d)\. No/)?.[1] ?? '?'
    await terminal.answer(name === 'No' ? no : key)
    await untilEntry(rig, body.session_id, 'an interruption', (entry) =>
      JSON.stringify(entry.message ?? '').includes('[Request interrupted by user'),
    )
    await until('the held hook to be left', () => listener.hooks.find((hook) => hook.left))
    // The next prompt is the fence: a hook of the refused call would have come before it.
    await terminal.send('next')
    await listener.until('UserPromptSubmit', 2)
    expect(listener.events().slice(0, 4)).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'UserPromptSubmit',
    ])
    expect(ran(rig)).toBe(false)
    slow.open(undefined)
  })
}

twin(
  'a paste with Enter while the dialog is up accepts it: so nothing is pasted while blocked',
  async (make) => {
    const rig = await make([turn('go', [bash('touch ran')])])
    const listener = await rig.listen()
    const terminal = await begin(rig, listener)
    await terminal.sees(question)
    for (let tries = 0; tries < 20 && !ran(rig); tries += 1) {
      terminal.paste('a message that meant no such thing')
      await sleep(500)
      terminal.write(keys.enter)
      await until('the call to run', () => ran(rig), undefined, 1500).catch(() => false)
    }
    expect(ran(rig)).toBe(true)
  },
)
