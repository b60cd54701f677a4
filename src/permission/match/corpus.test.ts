import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { matchPattern } from './rules.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/corpus/${name}`, import.meta.url), 'utf8'))

type Case = { id: string; cmd: string; must_match: string; expect: boolean | 'unknown'; soft?: string }

const cases: Case[] = read('shell-gate.json')
const own: { gated: string[]; benign: string[]; patterns: [string, string, boolean][] } =
  read('shell-own.json')

const gated = (pattern: string, command: string): boolean =>
  matchPattern(`Bash:${pattern}`, { tool: 'Bash', input: { command } }).match !== 'no'

test.each(cases)('$id: $cmd', (one) => {
  expect(gated(one.must_match, one.cmd)).toBe(one.expect !== false)
})

test.each(own.gated)('gated: %j', (command) => {
  expect(gated('gh issue close*', command)).toBe(true)
})

test.each(own.benign)('left alone: %j', (command) => {
  expect(matchPattern('Bash:gh issue close*', { tool: 'Bash', input: { command } })).toEqual({
    match: 'no',
    why: 'runs nothing like it',
  })
})

test.each(own.patterns)('%s of %j: %s', (pattern, command, stopped) => {
  expect(gated(pattern, command)).toBe(stopped)
})
