import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { undoing } from '../base/undo.ts'
import { writeFiles } from './files.ts'

test('a file that says the same is left as the CLI spelled it; another is written, and can be taken back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-files-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const [same, other] = [join(directory, 'same'), join(directory, 'other')]
  await writeFile(same, '{ "a": 1,\n"b": [2] }')
  await writeFile(other, 'half of a {')
  const { ino } = await stat(same)
  const undo = undoing()
  const file = (path: string, text: string) => ({ path, text, mode: 0o600 as const, once: false })
  await writeFiles([file(same, '{"b":[2],"a":1}'), file(other, '{}')], undo)
  expect((await stat(same)).ino).toBe(ino)
  expect(await readFile(other, 'utf8')).toBe('{}')
  await undo.run()
  expect(await readFile(other, 'utf8')).toBe('half of a {')
})
