import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { Call } from './io.ts'
import { readText } from './text.ts'

const limit = 1024 * 1024
const place = () => {
  const cwd = mkdtempSync(join(tmpdir(), 'agency-text-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const read = (file: string, stdin: Iterable<Buffer> = []) =>
    readText({ io: { cwd, stdin: Readable.from(stdin) } } as unknown as Call, file).catch(
      (error: Error) => error.message,
    )
  return { cwd, read }
}

test('a file, a pipe and standard input, as they are', async () => {
  const { cwd, read } = place()
  writeFileSync(join(cwd, 'plan.md'), 'é\r\n\tx')
  writeFileSync(join(cwd, 'full'), 'x'.repeat(limit))
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const piped = read('pipe')
  // Not at once: to open a pipe waits for its other end.
  await writeFile(join(cwd, 'pipe'), 'piped')
  expect(await piped).toBe('piped')
  expect(await read('plan.md')).toBe('é\r\n\tx')
  expect(await read(join(cwd, 'plan.md'))).toBe('é\r\n\tx')
  expect((await read('full')).length).toBe(limit)
  // A character that is cut by the pieces it comes in.
  expect(await read('-', [Buffer.from([0xc3]), Buffer.from([0xa9])])).toBe('é')
})

/** Without end: read whole, it would never be refused. */
function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024, 'x')
}

test('what cannot be a text is refused, and no more of it read than that takes', async () => {
  const { cwd, read } = place()
  mkdirSync(join(cwd, 'd'))
  writeFileSync(join(cwd, 'long'), 'x'.repeat(limit + 1))
  writeFileSync(join(cwd, 'latin'), Buffer.from([0xe9, 0x20]))
  expect(await read('missing')).toBe(`${cwd}/missing cannot be read: ENOENT.`)
  expect(await read('d')).toBe(`${cwd}/d cannot be read: EISDIR.`)
  expect(await read('long')).toBe(`${cwd}/long is longer than ${limit} bytes.`)
  expect(await read('/dev/zero')).toBe(`/dev/zero is longer than ${limit} bytes.`)
  expect(await read('latin')).toBe(`${cwd}/latin is not valid UTF-8 text.`)
  expect(await read('-', endless())).toBe(`Standard input is longer than ${limit} bytes.`)
})
