// The program as a process: exit codes, streams, names, start-up.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collect, program, world } from './kit.ts'

test('help is on stdout, errors are on stderr, and neither is a stack', async () => {
  const at = world()
  const help = await at.agency(['--help'])
  expect([help.code, help.err]).toEqual([0, ''])
  const wrong = await at.agency(['lst'])
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toMatch(/^error: .*"lst"/)
  expect(wrong.err).toContain('Did you mean "list"')
  expect(wrong.err).not.toMatch(/\n\s+at /)
})

test('a reader that goes away is no failure', async () => {
  const at = world()
  const shell = spawn('bash', ['-c', `"$0" completion bash | true; echo "\${PIPESTATUS[0]}"`, program], {
    env: at.env,
  })
  const { out, err } = await collect(shell)
  expect(['0\n', '141\n']).toContain(out)
  expect(err).toBe('')
})

test('a closed stdout is no stack trace either', async () => {
  const at = world()
  const { err } = await collect(spawn('bash', ['-c', `"$0" --help >&-`, program], { env: at.env }))
  expect(err).not.toMatch(/EPIPE|EBADF|\n\s+at /)
})

test('a full disk behind stdout is a failure', async () => {
  const at = world()
  const { code, err } = await collect(
    spawn('bash', ['-c', '"$0" --help > /dev/full', program], { env: at.env }),
  )
  expect([code, err]).toEqual([1, expect.stringContaining('could not be written: ENOSPC')])
})

test('the program answers to its other names', async () => {
  const at = world()
  for (const name of ['h2', 'ag-cli', 'roz']) symlinkSync(program, join(at.folder, name))
  expect((await at.agency(['version'], { as: join(at.folder, 'h2') })).code).toBe(0)
  expect((await at.agency(['version'], { as: join(at.folder, 'ag-cli') })).code).toBe(0)
  // `roz list` is `agency review list`, which is not `agency list`.
  await at.agency(['init'])
  expect((await at.agency(['list'], { as: join(at.folder, 'roz') })).out).toContain('review')
})

test('nothing heavy is loaded for what needs nothing', () => {
  const loaded = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    const text = readFileSync(join('dist', file), 'utf8')
    for (const [, next = ''] of text.matchAll(
      /\bfrom\s*["']\.\/([^"']+)["']|\bimport\s*["']\.\/([^"']+)["']/g,
    ))
      loaded(next, seen)
    return seen
  }
  const text = [...loaded('main.js')].map((file) => readFileSync(join('dist', file), 'utf8')).join('\n')
  expect(['ZodObject', 'YAMLMap', 'DatabaseSync'].filter((mark) => text.includes(mark))).toEqual([])
  expect(text.length).toBeLessThan(100_000)
})

test('it works from a directory that is gone', async () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `d=$(mktemp -d); cd "$d"; rmdir "$d"; exec "$0" --version`, program],
    {
      encoding: 'utf8',
    },
  )
  expect([status, stderr]).toEqual([0, ''])
})
