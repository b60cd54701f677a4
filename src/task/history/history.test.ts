import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codeOf } from '../../../test/kit/stores.ts'
import { claude } from '../../driver/claude/driver.ts'
import { forgetHistory, listHistory, sizeOf } from './forget.ts'
import { keepOutput, keepPrompt, limits } from './keep.ts'
import { readDebug, readLog, readPrompt, readPrompts } from './read.ts'

const id = 'task-1a'
const driver = claude('2.1.325')

const rootOf = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'agency-history-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return root
}
const place = (root: string, ...below: string[]): string => join(root, 'history', id, ...below)
const spool = (root: string, stdout: string | Buffer, stderr = ''): string => {
  const session = mkdtempSync(join(root, 'session-'))
  writeFileSync(join(session, 'stdout'), stdout)
  writeFileSync(join(session, 'stderr'), stderr)
  return session
}
const by = (directory: string) => ({
  directory,
  agent: 'coder',
  session: '3f0c1a52-0000-4000-8000-000000000001',
})
const modeOf = (path: string): number => statSync(path).mode & 0o777

test('prompts come back as they were, in order, for their owner only', async () => {
  const root = rootOf()
  expect(await readPrompts(root, id)).toEqual([])
  const texts = ['first\r\n\u0000 ü 😀', ...Array.from({ length: 11 }, (_, index) => `more ${index}`)]
  for (const [index, text] of texts.entries()) await keepPrompt(root, id, index + 1, text)
  expect(await readPrompts(root, id)).toEqual(texts)
  expect(await readPrompt(root, id, 12)).toBe('more 10')
  expect(await readPrompt(root, id, 13)).toBeUndefined()
  expect([modeOf(place(root)), modeOf(place(root, 'prompt-1'))]).toEqual([0o700, 0o600])
  expect(readdirSync(place(root))).toHaveLength(12)
})

test('the longest prompt there can be is kept and read', async () => {
  const root = rootOf()
  const text = '漢'.repeat(2_000_000)
  await keepPrompt(root, id, 1, text)
  expect(await readPrompts(root, id)).toEqual([text])
})

test('the output of an attempt is kept whole, again and again, also when its session is gone', async () => {
  const root = rootOf()
  const bytes = randomBytes(300_000)
  const session = spool(root, bytes, 'oh')
  await keepOutput(root, id, 1, by(session))
  await keepOutput(root, id, 1, by(session))
  rmSync(session, { recursive: true })
  await keepOutput(root, id, 1, by(session))
  expect(readFileSync(place(root, 'stdout-1')).equals(bytes)).toBe(true)
  expect(readFileSync(place(root, 'stderr-1'), 'utf8')).toBe('oh')
  expect(modeOf(place(root, 'stdout-1'))).toBe(0o600)
  expect(await sizeOf(root, id)).toBe(300_002 + statSync(place(root, 'session')).size)
})

const between = /^\[agency: (\d+) bytes left out, sha256 ([0-9a-f]{64})\]\n/m

test.each<[string, () => Buffer, number | undefined]>([
  ['lines', () => Buffer.from(Array.from({ length: 700_000 }, (_, index) => `line ${index}\n`).join('')), 0],
  ['one line', () => Buffer.alloc(6 * 1024 * 1024, 'x'), 1],
  ['bytes', () => randomBytes(9 * 1024 * 1024), undefined],
])(
  'of much output (%s) beginning and end are kept, and what says what is missing',
  async (_, make, apart) => {
    const bytes = make()
    const root = rootOf()
    await keepOutput(root, id, 1, by(spool(root, bytes)))
    const kept = readFileSync(place(root, 'stdout-1'))
    const [said = '', count, digest] = between.exec(kept.toString('latin1')) ?? []
    const at = kept.indexOf(said)
    const left = Number(count)
    const extra = kept.length - (bytes.length - left) - said.length
    if (apart !== undefined) expect(extra).toBe(apart)
    const from = at - extra
    expect(kept.subarray(0, from).equals(bytes.subarray(0, from))).toBe(true)
    expect(kept.subarray(at + said.length).equals(bytes.subarray(from + left))).toBe(true)
    expect(
      createHash('sha256')
        .update(bytes.subarray(from, from + left))
        .digest('hex'),
    ).toBe(digest)
    expect(kept.length).toBeLessThanOrEqual(limits.beginning + limits.end + 200)
    expect(kept.length).toBeGreaterThan(limits.beginning + limits.end - 2 * limits.near)
  },
)

test('the debug output is the end of it, the last attempts first, within the limit', async () => {
  const root = rootOf()
  await keepOutput(root, id, 1, by(spool(root, 'old '.repeat(100_000), 'x')))
  await keepOutput(root, id, 2, by(spool(root, `${'é'.repeat(10_000)}end`, 'y'.repeat(100_000))))
  const { task_id, attempts } = await readDebug(root, id, 1)
  expect(task_id).toBe(id)
  expect(attempts.map(({ number, truncated }) => [number, truncated])).toEqual([
    [1, true],
    [2, true],
  ])
  expect(attempts[1]?.stderr).toBe('y'.repeat(4096))
  expect(attempts[1]?.stdout).toMatch(/^é+end$/)
  const shown = attempts.map(({ stdout, stderr }) => stdout + stderr).join('')
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(16 * 1024)
  const all = await readDebug(root, id, 1e9)
  expect(all.attempts[0]).toEqual({
    number: 1,
    stdout: 'old '.repeat(100_000),
    stderr: 'x',
    truncated: false,
  })
  expect(await readDebug(rootOf(), id, 1e9)).toEqual({ task_id: id, attempts: [] })
})

const line = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`

test('the log tells of all attempts, also of the one that runs', async () => {
  const root = rootOf()
  await keepOutput(root, id, 1, by(spool(root, line('one'))))
  expect(await readLog(root, id, driver)).toEqual(['said: one'])
  const session = spool(root, `${line('two')}{"torn`)
  const running = { number: 2, session }
  expect(await readLog(root, id, driver, running)).toEqual([
    'attempt 1',
    'said: one',
    'attempt 2',
    'said: two',
  ])
  expect((await readDebug(root, id, 1, running)).attempts[1]?.stdout).toBe(`${line('two')}{"torn`)
  await keepOutput(root, id, 2, by(session))
  expect(await readLog(root, id, driver, running)).toHaveLength(4)
  const many = spool(root, Array.from({ length: 3000 }, (_, index) => line(`${index}`)).join(''))
  const lines = await readLog(root, id, driver, { number: 3, session: many })
  expect([lines.length, lines.at(-1)]).toEqual([1000, 'said: 2999'])
})

test('a history that is forgotten is gone, and nothing else', async () => {
  const root = rootOf()
  const outside = mkdtempSync(join(root, 'outside-'))
  writeFileSync(join(outside, 'theirs'), 'x')
  await keepPrompt(root, id, 1, 'x')
  await keepPrompt(root, 'task-other', 1, 'x')
  mkdirSync(place(root, 'below'))
  symlinkSync(outside, place(root, 'link'))
  symlinkSync(outside, place(root, 'below', 'link'))
  await forgetHistory(root, id)
  await forgetHistory(root, id)
  expect(await listHistory(root)).toEqual(['task-other'])
  expect(existsSync(join(outside, 'theirs'))).toBe(true)
})

test('a link in its place is not followed, whatever is asked', async () => {
  const root = rootOf()
  const outside = mkdtempSync(join(root, 'outside-'))
  writeFileSync(join(outside, 'prompt-1'), 'theirs')
  writeFileSync(join(outside, 'stdout-1'), 'theirs')
  mkdirSync(join(root, 'history'))
  symlinkSync(outside, place(root))
  const session = spool(root, 'x')
  const all = (at: string): readonly (() => Promise<unknown>)[] => [
    () => keepPrompt(at, id, 1, 'mine'),
    () => keepOutput(at, id, 1, by(session)),
    () => readPrompts(at, id),
    () => readDebug(at, id, 1),
    () => forgetHistory(at, id),
    () => sizeOf(at, id),
  ]
  for (const ask of all(root)) expect(await codeOf(ask())).toBe('history_unsafe')
  const above = rootOf()
  mkdirSync(join(outside, id))
  writeFileSync(join(outside, id, 'theirs'), 'x')
  symlinkSync(outside, join(above, 'history'))
  for (const ask of all(above)) expect(await codeOf(ask())).toBe('history_unsafe')
  expect(readdirSync(outside).sort()).toEqual(['prompt-1', 'stdout-1', id])
  expect(existsSync(join(outside, id, 'theirs'))).toBe(true)
})

test('files that are none are passed over, and never waited for', async () => {
  const root = rootOf()
  const outside = join(root, 'theirs')
  writeFileSync(outside, 'theirs')
  const session = mkdtempSync(join(root, 'session-'))
  symlinkSync(outside, join(session, 'stdout'))
  execFileSync('mkfifo', [join(session, 'stderr')])
  await keepOutput(root, id, 1, by(session))
  expect(readdirSync(place(root))).toEqual(['session'])
  symlinkSync(outside, place(root, 'stdout-1'))
  symlinkSync(outside, place(root, 'prompt-1'))
  expect((await readDebug(root, id, 1)).attempts).toEqual([
    { number: 1, stdout: '', stderr: '', truncated: false },
  ])
  expect(await readPrompts(root, id)).toEqual([])
})

test.each(['../../etc', 'task-a/../..', 'task-', 'task-A', ''])('no path is made of "%s"', async (bad) => {
  const root = rootOf()
  await expect(keepPrompt(root, bad, 1, 'x')).rejects.toThrow()
  await expect(forgetHistory(root, bad)).rejects.toThrow()
  expect(readdirSync(root)).toEqual([])
})
