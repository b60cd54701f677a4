import { expect, test } from 'vitest'
import { catalogue } from '../base/error/schema.ts'
import { credentialNames } from '../config/credential/schema.ts'
import { commands } from './commands.ts'
import { parse } from './parse/rules.ts'

const understood = (line: string): boolean => {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')) ?? []
  return parse(commands, words.slice(1)).kind !== 'wrong'
}

test('what an error tells people to type can be typed', () => {
  const advised = Object.values(catalogue).flatMap(({ next }) =>
    [...next.matchAll(/`(agency [^`]+)`/g)].map((found) => (found[1] ?? '').replace(/\{\w+\}/g, 'x')),
  )
  expect(advised.length).toBeGreaterThan(20)
  const wrong = [...new Set(advised)].filter((line) => !understood(line.replace('set x', 'set github-token')))
  expect(wrong).toEqual([])
})

test('the examples of the help can be typed', () => {
  const plain = commands.flatMap(({ examples }) => examples).filter((line) => !/[|>]|eval/.test(line))
  expect(plain.filter((line) => !understood(line))).toEqual([])
})

test('no two commands have the same words; every option of a `oneOf` exists', () => {
  const words = commands.map((command) => command.words.join(' '))
  expect(new Set(words).size).toBe(words.length)
  for (const { oneOf = [], args, options } of commands) {
    const known = [...args, ...options].map(({ name }) => name)
    expect(oneOf.filter((name) => !known.includes(name))).toEqual([])
  }
})

// Written out there, because the schema would load zod for every command.
test('the credentials of the command line are those of the root', () => {
  const [set] = commands.filter((command) => command.words.join(' ') === 'credential set')
  expect(set?.args[0]?.choices).toEqual(credentialNames)
})
