import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lookAt } from './look.ts'

test('what is there, what is not, and where links lead, also to nothing and in a ring', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'agency-look-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const at = (path: string): string => join(dir, path)
  mkdirSync(at('real/deep'), { recursive: true })
  writeFileSync(at('real/file'), '')
  symlinkSync('real', at('link'))
  symlinkSync('../real/gone', at('real/dangling'))
  symlinkSync('ring-b', at('ring-a'))
  symlinkSync('ring-a', at('ring-b'))
  const paths = [
    'real/file',
    'link/file',
    'link/new/file',
    'link/dangling',
    'real/file/x',
    'ring-a',
    'ring-a/x',
  ]
  expect(await lookAt(paths.map(at))).toEqual({
    [at('real/file')]: { exists: true, real: at('real/file') },
    [at('link/file')]: { exists: true, real: at('real/file') },
    [at('link/new/file')]: { exists: false, real: at('real/new/file') },
    [at('link/dangling')]: { exists: false, real: at('real/gone') },
    [at('real/file/x')]: { exists: false, real: at('real/file/x') },
  })
  expect(await lookAt(['/', `/${'x'.repeat(300)}`])).toEqual({ '/': { exists: true, real: '/' } })
})
