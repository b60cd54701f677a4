// A headless agent behind a real host, and its two doors: one table of routes, mounted twice.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readHostFile } from '../../src/client/address.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { patience, type Stage, stage } from '../agent/kit.ts'
import { type Door, get, type Heard, post } from './wire.ts'

export const name = 'ag-01'

export type Face = Stage & {
  /** `/` of its own port. */
  own(): Promise<Door>
  /** `/agents/<name>` of the host's port. */
  mounted(): Door
  readonly config: string
}

export type Staging = {
  readonly role?: string
  readonly file?: string
  /** A shell script that is called as `claude`; `$HERE` is a directory to leave things in. */
  readonly claude?: string
}

export const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
export const heard = { replies: [{ text: 'Heard.', times: 0, usage: { input: 100, output: 7 } }] }
const waits = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
export const long = { match: 'plough', replies: [bash(waits), { text: 'Late.' }] }

/** A root with one headless agent that has a port of its own; its host is up, the agent perhaps not yet. */
export const faced = async (scenario: Scenario, staging: Staging = {}): Promise<Face> => {
  const type = staging.claude === undefined ? 'agent_type: scripted\n' : ''
  const role = staging.role ?? `name: s\n${type}instructions: Work.\n`
  const at = await stage(scenario, { s: `${role}permissions:\n  allow: [Bash]\n` })
  if (staging.claude !== undefined) {
    const program = join(at.folder, 'claude')
    writeFileSync(program, `#!/bin/sh\nHERE=${at.folder}\n${staging.claude}\n`, { mode: 0o755 })
    at.env.CLAUDE_BIN = program
  }
  const config = join(at.root, 'agents', name, 'config.yaml')
  mkdirSync(join(at.root, 'agents', name), { recursive: true })
  writeFileSync(config, staging.file ?? 'role: s\nport: 0\nsandbox: { enabled: false }\n')
  // Not `agency start`, which waits for agents that take their time to start.
  at.start(['up'])
  await expect.poll(() => existsSync(join(at.root, 'sockets/host.sock')), patience).toBe(true)
  const token = readFileSync(join(at.root, 'token'), 'utf8').trim()
  const mounted = (): Door => ({
    port: readHostFile(at.root)?.port ?? expect.fail('there is no host'),
    prefix: `/agents/${name}`,
    token,
  })
  return {
    ...at,
    config,
    mounted,
    own: async () => {
      let port = 0
      await expect
        .poll(async () => {
          const { components } = (await get({ ...mounted(), prefix: '' }, '/components')).body
          port = components.find(({ id }: { id: string }) => id === `agents/${name}`)?.port ?? 0
          return port
        }, patience)
        .toBeGreaterThan(0)
      return { port, prefix: '', token }
    },
  }
}

export const untilState = (door: Door, state: string) =>
  expect.poll(async () => (await get(door, '/status')).body?.state, patience).toBe(state)

export const given = async (door: Door, body: object): Promise<string> => {
  const got = await post(door, '/task', body)
  expect(got.status, got.text).toBe(201)
  return got.body.task_id
}

export const untilTask = async (door: Door, id: string, state: string): Promise<Heard['body']> => {
  await expect.poll(async () => (await get(door, `/task/${id}`)).body?.state, patience).toBe(state)
  return (await get(door, `/task/${id}`)).body
}

/** Until its tool runs, and in which directory. */
export const untilBegun = async (at: Stage, door: Door, id: string): Promise<string> => {
  const { session_id } = (await get(door, `/task/${id}`)).body
  const place = join(at.root, 'work', session_id)
  await expect.poll(async () => (await get(door, `/task/${id}`)).body.progress?.tool, patience).toBe('Bash')
  return place
}
