import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadTemplate } from './load.ts'
import { fallback } from './rules.ts'

const directories = async (...all: Readonly<Record<string, string | Buffer>>[]): Promise<string[]> => {
  const base = await mkdtemp(join(tmpdir(), 'agency-template-'))
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return Promise.all(
    all.map(async (files, at) => {
      const directory = join(base, `${at}`)
      await mkdir(directory)
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
      return directory
    }),
  )
}
const random = { active: 'random', weights: {} }

test('those of the root come before those that ship; a broken one gives way', async () => {
  const own = { 'block-v1.md': 'mine', 'block-v2.md': Buffer.from([0xff, 0xfe, 0]), 'notes.md': 'x' }
  const shipped = { 'block-v1.md': 'first', 'block-v2.md': 'second' }
  const all = await directories(own, shipped)
  expect(await loadTemplate({ active: 'v1', weights: {} }, all, 0)).toEqual({ id: 'v1', text: 'mine' })
  expect(await loadTemplate({ active: 'v2', weights: {} }, all, 0)).toEqual({ id: 'v2', text: 'second' })
  expect(await loadTemplate(random, all, 0)).toEqual({ id: 'v1', text: 'mine' })
  expect(await loadTemplate(random, all, 0.99)).toEqual({ id: 'v2', text: 'second' })
})

test.each<[string, { active: string; weights: Record<string, number> }]>([
  ['pinned, and not there', { active: 'v9', weights: {} }],
  ['weighed, and not there', { active: 'random', weights: { v9: 1 } }],
  ['a path', { active: 'x/../../secret', weights: {} }],
  ['empty', { active: 'empty', weights: {} }],
  ['a directory in its place', { active: 'dir', weights: {} }],
])('%s: the text in the program', async (_, setting) => {
  const all = await directories({ 'block-empty.md': '' })
  await mkdir(join(all[0] ?? '', 'block-dir.md'))
  await writeFile(join(all[0] ?? '', '..', 'secret.md'), 'secret')
  expect(await loadTemplate(setting, [...all, '/nowhere/at/all'], 0)).toEqual(fallback)
})
