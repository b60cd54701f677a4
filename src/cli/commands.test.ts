import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { always } from '../approval/schema.ts'
import { catalogue } from '../base/error/schema.ts'
import { credentialNames } from '../config/credential/schema.ts'
import { lanes } from '../message/schema.ts'
import { commands } from './commands.ts'
import { main } from './entry.ts'
import type { Io } from './io.ts'
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

test('the lanes of the command line are those of messages', () => {
  const [send] = commands.filter((command) => command.words.join(' ') === 'send')
  expect(send?.options.find(({ name }) => name === 'lane')?.choices).toEqual(lanes)
})

test('what can be allowed for always is the same for the command line and approvals', () => {
  const [approve] = commands.filter((command) => command.words.join(' ') === 'approve')
  expect(approve?.options.find(({ name }) => name === 'always')?.choices).toEqual(always.options)
})

/** Everything else may be typed by anybody who has a shell. */
const forPeople = `
  init, trust, credential set, credential check, config set, role init, role switch,
  up, start, serve, pod launch, session resume, session fork, attach,
  stop, pod stop, down, shutdown, kill, session gc, worktree remove, message withdraw,
  task cancel, task end, task pause, task unpause, approve, deny, budget raise, review clean`
const forAgents = `
  demo, doctor, status, list, peek, logs, config, config list, config get, validate, version, completion,
  session list, worktree list, hook, hook collect, permission-request, role list, role show, role check, role explain,
  role test, pod list, pod show, send, message list, message show, task list, task show, task debug, history,
  permission match, approval list, budget show,
  review list, review context, review decide, review trace, review debug, review stats`
const names = (text: string): string[] => text.split(',').map((name) => name.trim())

test('an agent may look, and end or change nothing: every command says so', () => {
  const who = (agents: string): string[] =>
    commands.filter((each) => each.agents === agents).map(({ words }) => words.join(' '))
  expect(who('never').sort()).toEqual(names(forPeople).sort())
  expect(who('delegate')).toEqual(['run', 'task run', 'task continue'])
  expect(who('may').sort()).toEqual(names(forAgents).sort())
})

/** Enough to be understood, so that only who types it is left to object to. */
const spelled = ({ words, args, options, oneOf = [] }: (typeof commands)[number]): string[] => [
  ...words,
  ...args.filter(({ optional }) => !optional).map(({ choices }) => choices?.[0] ?? 'x'),
  ...options.flatMap(({ name, required }) => (required || name === oneOf[0] ? [`--${name}`] : [])),
]

test.each(commands.filter(({ agents }) => agents === 'never').map((each) => [spelled(each), each] as const))(
  'an agent that types %j is refused, and nothing is loaded',
  async (line, { words }) => {
    let err = ''
    const io: Io = {
      stdin: Readable.from([]) as Io['stdin'],
      stdout: { write: () => true },
      stderr: { write: (text) => (err += text) },
      env: { AGENCY_ACTOR: 'coder-1', AGENCY_ROOT: '/nonexistent/root' },
      cwd: '/',
      program: 'agency',
      self: [process.execPath],
      signals: new EventEmitter(),
    }
    expect([await main(line, io), err]).toEqual([
      1,
      expect.stringContaining(`Only a person may type \`agency ${words.join(' ')}\``),
    ])
  },
)
