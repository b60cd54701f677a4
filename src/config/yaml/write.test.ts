import { chmod, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { writeValue } from './write.ts'

const schema = z.strictObject({ port: z.int().max(10), tags: z.record(z.string(), z.int()).optional() })

const made = async (text: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-write-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  await writeFile(join(directory, 'f.yaml'), text)
  return join(directory, 'f.yaml')
}

test('a value is changed, comments and mode stay', async () => {
  const file = await made('# why\nport: 1 # here\n')
  await chmod(file, 0o640)
  await writeValue(file, ['port'], 2, schema)
  expect(await readFile(file, 'utf8')).toBe('# why\nport: 2 # here\n')
  expect((await stat(file)).mode & 0o777).toBe(0o640)
})

test('a value that would not be valid changes nothing and says why', async () => {
  const file = await made('port: 1\n')
  for (const [keys, value, says] of [
    [['port'], 11, 'port must be at most 10'],
    [['prot'], 1, 'unknown field prot'],
    [['port'], undefined, 'port is missing'],
    [['tags', '__proto__'], 1, 'tags.__proto__ is not allowed as a field'],
  ] as const)
    await expect(writeValue(file, keys, value, schema)).rejects.toMatchObject({
      code: 'validation_error',
      problems: [says],
    })
  expect(await readFile(file, 'utf8')).toBe('port: 1\n')
})

test('a file that is not valid is reported, never overwritten', async () => {
  for (const text of ['port: x\n', 'port: 1\nport: 2\n', '\tport: 1\n']) {
    const file = await made(text)
    await expect(writeValue(file, ['port'], 2, schema)).rejects.toMatchObject({ code: 'config_invalid' })
    expect(await readFile(file, 'utf8')).toBe(text)
  }
})

test('a file that is not there, or empty, gets its first value', async () => {
  const file = await made('')
  await writeValue(file, ['port'], 3, schema)
  expect(await readFile(file, 'utf8')).toBe('port: 3\n')
  await writeFile(file, '# later\n')
  await writeValue(file, ['port'], 3, schema)
  expect(await readFile(file, 'utf8')).toBe('# later\n\nport: 3\n')
  await writeValue(`${file}.new`, ['port'], 4, schema)
  expect(await readFile(`${file}.new`, 'utf8')).toBe('port: 4\n')
})

test('a linked file is written where it is', async () => {
  const file = await made('port: 1\n')
  await symlink(file, `${file}.link`)
  await writeValue(`${file}.link`, ['port'], 2, schema)
  expect((await lstat(`${file}.link`)).isSymbolicLink()).toBe(true)
  expect(await readFile(file, 'utf8')).toBe('port: 2\n')
})

test('changes made at once are all there', async () => {
  const file = await made('port: 1\n')
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
  const wrong = writeValue(file, ['port'], 'x', schema).catch(() => 'refused')
  await Promise.all(names.map((name, index) => writeValue(file, ['tags', name], index, schema)))
  expect(await wrong).toBe('refused')
  const text = await readFile(file, 'utf8')
  expect(names.filter((name, index) => !text.includes(`${name}: ${index}\n`))).toEqual([])
})
