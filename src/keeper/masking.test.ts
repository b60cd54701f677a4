// A headless child that prints its secrets: neither the disk nor a client gets to see one.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  hook,
  json,
  open,
  policy,
  reading,
  shell,
  standIn,
  tokens,
  until,
  whole,
} from '../../test/kit/keeper.ts'
import { formsOf } from '../base/secret/rules.ts'
import { placesOf } from './find.ts'

const secret = 'Marked+secret/"0123456789" é'
const forms = [...formsOf(secret), 'Marked', Buffer.from(secret).toString('base64').slice(0, 24)]

/** Every file of the session, whatever it is. */
const writtenIn = (directory: string): string =>
  readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

const printing = `
printf 'plain %s\\n' "$SECRET"
printf 'split Marked+sec'; sleep 0.2; printf 'ret/"0123456789" \\303'; sleep 0.2; printf '\\251 whole\\n'
printf %s "$SECRET" | base64
printf 'user:%s' "$SECRET" | base64 >&2
printf '%s' "$SECRET" | od -An -tx1 | tr -d ' \\n'; echo
printf 'cut off Marked+secret/"01'
`

test('what a headless child prints of its secrets is masked at the source', async () => {
  const { keeper } = await open({ terminal: null })
  const view = await keeper.attach({ stream: 'stdout', from: 0 })
  await keeper.launch({ ...shell(printing, { SECRET: secret }), secrets: [secret] })
  const shown = (await whole(view)).toString()
  expect(await view.over).toMatchObject({ kind: 'ended', exit: { code: 0 } })
  const { directory } = keeper.found
  const kept = readFileSync(placesOf(directory).stdout, 'utf8')
  expect(shown).toBe(kept)
  expect(kept).toMatch(
    /^plain \[redacted\]\nsplit \[redacted\] whole\n\[redacted\]\S{0,4}\n\[redacted\]\ncut off \[redacted\]$/,
  )
  expect(readFileSync(placesOf(directory).stderr, 'utf8')).toMatch(/^\w{4,9}\[redacted\]\S{0,4}\n$/)
  const all = writtenIn(directory)
  for (const form of forms) expect(all).not.toContain(form)
})

test('hooks and telemetry are told to the host without them, but for what is decided by', async () => {
  const { root, keeper } = await open({ terminal: null, hooks: { ...policy, whole: ['cwd'] } })
  const host = await standIn(`${root}/host.sock`, (_, response) => json(response, {}))
  await keeper.launch({ ...shell('exec sleep 600', { SECRET: secret }), secrets: [secret] })
  const calls = { hook_event_name: 'PreToolUse', cwd: `/${secret}`, big: 1e21 }
  const input = { tool_name: `mcp__${secret}`, tool_input: { [secret]: ['x', { y: `<${secret}>` }] } }
  await hook(keeper, { ...calls, ...input })
  await hook(keeper, { ...calls, tool_name: 'Bash' })
  const asked = host.asked.map(({ body }) => body.input)
  expect(asked).toEqual([
    { ...calls, tool_name: 'mcp__[redacted]', tool_input: { '[redacted]': ['x', { y: '<[redacted]>' }] } },
    { ...calls, tool_name: 'Bash' },
  ])
  const { telemetryToken: token } = tokens
  await fetch(`http://127.0.0.1:${keeper.found.port}/v1/logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ resourceLogs: [{ body: secret }] }),
  })
  await until(() => host.asked.length === 3, 'the telemetry comes')
  expect(host.asked[2]?.body.input).toEqual({ resourceLogs: [{ body: '[redacted]' }] })
  await keeper.end(0)
})

test('a line is shown when it is printed, not when the next one comes', async () => {
  const { keeper } = await open({ terminal: null })
  const view = await keeper.attach({ stream: 'stdout', from: 0 })
  const text = reading(view)
  await keeper.launch({ ...shell('echo one; exec sleep 600', { SECRET: secret }), secrets: [secret] })
  await until(() => text() === 'one\n', 'the line is shown')
  await keeper.end(0)
})

test('the next launch, without a word of it, has the same secrets with the same environment', async () => {
  const { keeper } = await open({ terminal: null })
  await keeper.launch({ ...shell('true', { SECRET: secret }), secrets: [secret] })
  await until(async () => (await keeper.status()).state === 'ended', 'it ends')
  await keeper.launch({ argv: ['/bin/sh', '-c', 'printf %s "$SECRET"'], cwd: '/' })
  await until(async () => (await keeper.status()).state === 'ended', 'it ends again')
  expect(readFileSync(placesOf(keeper.found.directory).stdout, 'utf8')).toBe('[redacted]')
})

test('a terminal shows what is there', async () => {
  const { keeper } = await open()
  const view = await keeper.attach({ stream: 'terminal', from: 0 })
  await keeper.launch({
    ...shell('printf %s "$SECRET"', { SECRET: 'terminal-secret' }),
    secrets: ['terminal-secret'],
  })
  expect((await whole(view)).toString()).toBe('terminal-secret')
})
