// What a pasted text does: the header line in front is what keeps a message from becoming a command.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Rig } from '../twin/rig.ts'
import { says } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { keys } from '../twin/terminal.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']
const header = '[agency m1 from x]'

const open = async (rig: Rig, text: string) => {
  const listener = await rig.listen()
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url))),
  })
  await terminal.send(text)
  return { terminal, listener }
}

twin('a bare `!` runs in the shell past every hook', async (make) => {
  const rig = await make([{ replies: [{ text: 'I saw it.', times: 0 }] }])
  const { listener } = await open(rig, '!touch ran')
  await until('the command to run', () => existsSync(join(rig.work, 'ran')))
  // The model is told of it afterwards, and that turn ends as any other.
  await listener.until('Stop')
  expect(listener.events()).toEqual(['Stop'])
})

twin('behind the header `!` is text', async (make) => {
  const rig = await make([says(header, 'Noted.')])
  const { listener } = await open(rig, `${header}\n!touch ran`)
  await listener.until('Stop')
  expect(listener.events()).toEqual(['UserPromptSubmit', 'Stop'])
  expect(listener.of('UserPromptSubmit')[0]?.prompt).toBe(`${header}\n!touch ran`)
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

twin('a bare `/exit` ends the session', async (make) => {
  const rig = await make([])
  const { terminal, listener } = await open(rig, '/exit')
  expect(await terminal.exited()).toBe(0)
  expect(listener.hooks.map(({ event, body }) => [event, body.reason])).toEqual([
    ['SessionEnd', 'prompt_input_exit'],
  ])
})

twin('behind the header `/exit` is text', async (make) => {
  const rig = await make([says(header, 'Noted.')])
  const { terminal, listener } = await open(rig, `${header}\n/exit`)
  await listener.until('Stop')
  expect(listener.of('UserPromptSubmit')[0]?.prompt).toBe(`${header}\n/exit`)
  expect(terminal.code()).toBe(undefined)
})

twin('300 pasted lines arrive whole, with the header first', async (make) => {
  const rig = await make([says(header, 'Noted.')])
  const text = [header, ...Array.from({ length: 300 }, (_, at) => `line ${at} of a long message`)].join('\n')
  const { listener } = await open(rig, text)
  await listener.until('Stop')
  expect(listener.of('UserPromptSubmit')[0]?.prompt).toBe(text)
})

twin('what stands in the input line comes before a paste, unless it is cleared first', async (make) => {
  const rig = await make([{ replies: [{ text: 'Noted.', times: 0 }] }])
  const listener = await rig.listen()
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url))),
  })
  terminal.write('half a thought')
  await terminal.sees(/^❯\s+half a thought\s*$/m)
  await terminal.send(`${header}\nthe message`)
  await listener.until('Stop')
  terminal.write('another')
  await terminal.sees(/^❯\s+another\s*$/m)
  terminal.write(keys.clear)
  await terminal.gone(/^❯\s+another\s*$/m)
  await terminal.send(`${header}\nthe second message`)
  await listener.until('Stop', 2)
  expect(listener.of('UserPromptSubmit').map((body) => body.prompt)).toEqual([
    `half a thought${header}\nthe message`,
    `${header}\nthe second message`,
  ])
})

for (const [what, lay] of [
  ['nothing', ''],
  ['words', 'several words'],
  ['two lines', '\x1b[200~a first line\nand a second\x1b[201~'],
] as const)
  twin(`a letter and two Esc clear the input line, whatever lay in it: ${what}`, async (make) => {
    const rig = await make([says(header, 'Noted.')])
    const listener = await rig.listen()
    const terminal = await rig.terminal(['--permission-mode', 'manual'], {
      settings: hooked(each(events, http(listener.url))),
    })
    for (const key of [lay, 'x', keys.escape, keys.escape]) {
      terminal.write(key)
      await sleep(250)
    }
    await terminal.send(`${header}\nthe message`)
    await listener.until('Stop')
    expect(listener.of('UserPromptSubmit').map((body) => body.prompt)).toEqual([`${header}\nthe message`])
  })
