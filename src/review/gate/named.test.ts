import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { othersOf } from '../../permission/alias/look.ts'
import { settingOf } from '../setting/rules.ts'
import { callOf, gatedBy } from './rules.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/corpus/${name}`, import.meta.url), 'utf8'))
const { gated, benign }: { gated: string[]; benign: string[] } = read('shell-own.json')
const cases: { cmd: string; must_match: string; expect: boolean | 'unknown' }[] = read('shell-gate.json')

const stops = async (pattern: string, command: string, cwd: string): Promise<boolean> => {
  const { gates } = settingOf({ gates: { tools: [`Bash:${pattern}`] } }, undefined)
  const place = { cwd, tree: cwd, home: '/nobody' }
  const call = callOf('Bash', { command })
  return gatedBy(gates, call, place, await othersOf(call, place, process.env.PATH ?? '')) !== undefined
}

const empty = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-look-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return directory
}

/** Programs that are not there, or that the line makes, with the words of the gate: nobody knows what they are. */
const unknown = [
  'mygh issue close 5',
  'ghx issue close 5',
  'cp /tmp/secbin/gh ./x && ./x issue close 123',
  'mygh issue close 123 || true',
  'ɡh issue close 123 || true',
]

test('to look at the files opens nothing that the text alone stops, and stops nothing that is harmless', async () => {
  const cwd = await empty()
  const all: [string, string, boolean][] = [
    ...gated.map((command): [string, string, boolean] => ['gh issue close*', command, true]),
    ...benign.map((command): [string, string, boolean] => ['gh issue close*', command, false]),
    ...cases.map(({ cmd, must_match, expect: is }): [string, string, boolean] => [
      must_match,
      cmd,
      is !== false,
    ]),
  ]
  const wrong: unknown[] = []
  for (const [pattern, command, expected] of all)
    if ((await stops(pattern, command, cwd)) !== (expected || unknown.includes(command)))
      wrong.push([pattern, command, expected])
  expect(all.length).toBeGreaterThan(300)
  expect(wrong).toEqual([])
})

test.each([
  ['git push*', './build/app --watch', false],
  ['git push*', './build/app push', true],
  ['git push*', './build/app "$MODE"', false],
  ['rm *', './build/app out', false],
  ['gh issue close*', 'PATH=./bin:$PATH hg issue close 1', true],
  ['gh issue close*', 'cd /tmp && ./hg issue close 1', true],
  ['gh issue close*', 'PATH=./bin:$PATH hg issue list', false],
])('a gate %s, a program that is not there: %s: %s', async (pattern, command, stopped) => {
  expect(await stops(pattern, command, await empty())).toBe(stopped)
})

test('a gate that says nothing of a program does not keep the next one from it', async () => {
  const { gates } = settingOf({ gates: { tools: ['Bash(rm *)', 'Bash:gh issue close*'] } }, undefined)
  const cwd = await empty()
  const place = { cwd, tree: cwd, home: '/nobody' }
  const call = callOf('Bash', { command: './hg issue close 1' })
  expect(gatedBy(gates, call, place, await othersOf(call, place, ''))?.pattern).toBe('Bash:gh issue close*')
})
