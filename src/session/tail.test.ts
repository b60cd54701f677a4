import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTail, type Place } from './tail.ts'

const setUp = (offset = 0) => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-tail-'))
  const path = join(directory, 't.jsonl')
  const heard: string[] = []
  const places: Place[] = []
  const open = () => {
    const tail = openTail({
      from: places.at(-1) ?? { path, offset },
      line: (text) => heard.push(text),
      moved: (place) => places.push(place),
      pause: () => 10,
    })
    onTestFinished(() => tail.close())
    return tail
  }
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return { directory, path, heard, places, open }
}
const until = (heard: readonly string[], lines: readonly string[]) =>
  expect.poll(() => [...heard], { timeout: 30_000 }).toEqual(lines)

test('a file that appears later is heard line by line, however it is cut', async () => {
  const { path, heard, places, open } = setUp()
  const tail = open()
  await tail.read()
  for (const [index, byte] of [...Buffer.from('{"a":"é€"}\n\n{"b":1}\nhal')].entries()) {
    appendFileSync(path, Buffer.from([byte]))
    if (index % 3 === 0) await tail.read()
  }
  await until(heard, ['{"a":"é€"}', '{"b":1}'])
  expect(places.at(-1)).toEqual({ path, offset: 23 })
  appendFileSync(path, 'f\n')
  await until(heard, ['{"a":"é€"}', '{"b":1}', 'half'])
})

test('another reader goes on where the first one was, half a line included', async () => {
  const { path, heard, open } = setUp()
  writeFileSync(path, 'one\ntw')
  const first = open()
  await first.close()
  appendFileSync(path, 'o\nthree\n')
  await open().read()
  expect(heard).toEqual(['one', 'two', 'three'])
})

test('what was cut short or replaced is heard from its beginning', async () => {
  const { directory, path, heard, open } = setUp()
  writeFileSync(path, 'one\ntwo\nhalf')
  const tail = open()
  await tail.read()
  truncateSync(path, 0)
  appendFileSync(path, 'new\n')
  await tail.read()
  writeFileSync(join(directory, 'other'), 'a longer line than before\nx\n')
  renameSync(join(directory, 'other'), path)
  await tail.read()
  expect(heard).toEqual(['one', 'two', 'new', 'a longer line than before', 'x'])
})

test('it follows another file from its start, or from its end', async () => {
  const { directory, path, heard, open } = setUp()
  writeFileSync(path, 'one\n')
  const tail = open()
  await tail.read()
  writeFileSync(join(directory, 'next'), 'two\n')
  tail.follow(join(directory, 'next'), 'start')
  await tail.read()
  expect(heard).toEqual(['one', 'two'])
  writeFileSync(join(directory, 'old'), 'said before\n')
  tail.follow(join(directory, 'old'), 'end')
  await tail.read()
  appendFileSync(join(directory, 'old'), 'three\n')
  // The same file again is no other one.
  tail.follow(join(directory, 'old'), 'start')
  await tail.read()
  expect(heard).toEqual(['one', 'two', 'three'])
})

test('a directory in the place of the file is waited out', async () => {
  const { directory, heard, open } = setUp()
  const tail = open()
  tail.follow(directory, 'start')
  await tail.read()
  expect(heard).toEqual([])
})
