import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mortal, place, program, until } from '../../../test/kit/keeper.ts'
import { failure } from '../../base/error/fail.ts'
import { alive } from '../../base/process/identity.ts'
import { claude } from '../../driver/claude/driver.ts'
import type { Keeper } from '../../keeper/reach.ts'
import { sparesOf } from '../../keeper/spare.ts'
import { attemptDirectory, configOf } from '../../task/plan/rules.ts'
import { agentFile } from '../schema.ts'
import { openKeeper } from './opening.ts'
import { factsFor, roleFor } from './prepare.ts'
import { startAttempt } from './start.ts'

const session = '00000000-0000-4000-8000-000000000001'
const remembered = '{"theme":"dark"}'

/** An attempt whose program tells that it ran; what the CLI remembers is there from before. */
const around = async () => {
  const root = place()
  const spares = sparesOf(program)
  onTestFinished(() => spares.close())
  const at = (name: string): string => join(root, name)
  for (const each of ['roles', 'work', 'home']) mkdirSync(at(each))
  writeFileSync(at('roles/s.yaml'), 'name: s\ninstructions: Work.\n')
  writeFileSync(at('claude'), `#!/bin/sh\n: > '${at('ran')}'\n`)
  chmodSync(at('claude'), 0o700)
  const memory = join(configOf(root, 'a'), '.claude.json')
  mkdirSync(configOf(root, 'a'), { recursive: true })
  writeFileSync(memory, remembered)
  const file = agentFile.parse({ role: 's', sandbox: { enabled: false } })
  const role = await roleFor(root, file)
  const driver = claude('2.1.325 (Claude Code)')
  const directory = attemptDirectory(root, 'a', 'task-1', { number: 1 })
  const host = at('host.sock')
  const opening = await openKeeper({ agent: 'a', session, directory, driver, spares, host, holdSeconds: 60 })
  const { keeper } = await opening.keeper
  mortal(keeper.found)
  const known = {
    root,
    agent: 'a',
    role,
    program: at('claude'),
    cwd: at('work'),
    prompt: 'x',
    instructions: '',
  }
  const env = { PATH: '/usr/bin:/bin', HOME: at('home'), ANTHROPIC_API_KEY: 'none-of-anybody' }
  const { facts } = await factsFor({ ...known, env, file, session, resumes: false })
  const watched: Keeper[] = []
  const start = (store: () => Promise<boolean>) =>
    startAttempt({
      facts,
      driver,
      directory,
      opening,
      store,
      placed: { kind: 'work', borrows: [] },
      walls: { node: process.execPath, forward: '', more: [] },
      hook: 'true',
      watch: (one) => void watched.push(one),
    })
  const left = () => ({
    ran: existsSync(at('ran')),
    watched: watched.length,
    keeper: alive(keeper.found),
    directory: existsSync(directory),
    memory: readFileSync(memory, 'utf8'),
  })
  const launches = async (): Promise<number> => (await keeper.status()).launches
  return { start, left, launches, ran: () => existsSync(at('ran')) }
}

const nothing = { ran: false, watched: 0, keeper: false, directory: false, memory: remembered }

test('its process begins when it is stored, and not before', async () => {
  const { start, left, ran, launches } = await around()
  let stored = (_: boolean): void => {}
  const started = start(
    () =>
      new Promise((resolve) => {
        stored = resolve
      }),
  )
  // All the rest is ready by then, and time enough for a launch.
  await until(() => left().memory !== remembered, 'what the CLI remembers is written')
  for (let asked = 0; asked < 50; asked++) expect(await launches()).toBe(0)
  expect(left()).toMatchObject({ ran: false, watched: 0, keeper: true })
  stored(true)
  expect(await started).toMatchObject({ files: expect.any(Array) })
  await until(ran, 'its program ran')
})

test('wished away meanwhile, nothing runs or is left', async () => {
  const { start, left } = await around()
  expect(await start(async () => false)).toBe(undefined)
  expect(left()).toEqual(nothing)
})

test('what could not be stored does not run either', async () => {
  const { start, left } = await around()
  const full = failure('not_stored', { what: 'task-1' })
  await expect(start(() => Promise.reject(full))).rejects.toBe(full)
  expect(left()).toEqual(nothing)
})
