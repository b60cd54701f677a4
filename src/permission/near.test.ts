import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { lookAt } from './look.ts'
import { nearOf } from './near.ts'

const folder = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'agency-near-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return dir
}

const grown = (tree: string): void => {
  mkdirSync(join(tree, 'a/b'), { recursive: true })
  writeFileSync(join(tree, 'a/file'), '')
  writeFileSync(join(tree, 'a/b/file'), '')
  symlinkSync('a', join(tree, 'link'))
  symlinkSync('b/file', join(tree, 'a/short'))
  symlinkSync('/etc', join(tree, 'away'))
  symlinkSync('nothing', join(tree, 'gone'))
  symlinkSync('ring', join(tree, 'ring'))
}

test('what is said at once is what the slow look says', async () => {
  const tree = folder()
  grown(tree)
  const near = await nearOf(tree)
  const names = ['a', 'b', 'file', 'link', 'short', 'away', 'gone', 'ring', 'hosts', 'new', 'x'.repeat(300)]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 4 }), async (parts) => {
      const path = [tree, ...parts].join('/')
      const said = near(path)
      if (said !== undefined) expect({ [path]: said }).toEqual(await lookAt([path]))
    }),
    { numRuns: 500, seed: 7 },
  )
})

test('plain files are looked at at once, links and what lies outside are not', async () => {
  const tree = folder()
  grown(tree)
  const near = await nearOf(tree)
  const local = process.platform === 'linux'
  expect([tree, `${tree}/a/b/file`, `${tree}/a/new`, `${tree}/a/file/x`].map(near)).toEqual(
    local
      ? [
          { exists: true, real: tree },
          { exists: true, real: `${tree}/a/b/file` },
          { exists: false, real: `${tree}/a/new` },
          { exists: false, real: `${tree}/a/file/x` },
        ]
      : [undefined, undefined, undefined, undefined],
  )
  const doubtful = [
    `${tree}/link/file`,
    `${tree}/a/short`,
    `${tree}/gone`,
    `${tree}x`,
    '/etc/hosts',
    `${tree}/\0`,
  ]
  expect(doubtful.map(near)).toEqual(doubtful.map(() => undefined))
})

test('a tree that is another one by now is looked at the slow way', async () => {
  const dir = folder()
  const tree = join(dir, 'tree')
  mkdirSync(tree)
  const near = await nearOf(tree)
  renameSync(tree, join(dir, 'before'))
  mkdirSync(tree)
  expect(near(`${tree}/x`)).toBeUndefined()
  rmSync(tree, { recursive: true })
  symlinkSync('before', tree)
  expect(near(`${tree}/x`)).toBeUndefined()
})

test.each([['/proc/self'], ['/'], ['/nowhere/at/all']])(
  'nothing is looked at at once in %s',
  async (tree) => {
    const near = await nearOf(tree)
    expect([tree, `${tree}/x`].map(near)).toEqual([undefined, undefined])
  },
)
