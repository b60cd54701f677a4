// What the bar says is what the host says, while there is one.
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentEntry } from '../../src/agent/api.ts'
import { hostSocket } from '../../src/client/address.ts'
import { attach, detachKey, expectRestored, person, stage, until } from './kit.ts'

/** Stands where the host would, as far as a bar asks. */
const host = async (root: string, entry: () => Partial<AgentEntry>) => {
  const { path } = await hostSocket(root)
  const followers: ServerResponse[] = []
  const server = createServer(({ url }, response) => {
    if (url === '/agents') return void response.end(JSON.stringify({ agents: [{ name: 'other' }, entry()] }))
    response.writeHead(url === '/events' ? 200 : 404, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    followers.push(response)
  })
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  onTestFinished(stop)
  const happens = (): void => {
    for (const each of followers) each.write('id: 1\ndata: {"seq":1}\n\n')
  }
  return { stop, happens }
}

const base = { name: 'coder', role: 'actor', cost_usd: 0.416, needs_you: false, text: 'working (Bash)' }

test('state, role and cost; changed by an event; away and back', async () => {
  const { at } = await stage('echo up; read -r go')
  let entry: Partial<AgentEntry> = base
  const first = await host(at.root, () => entry)
  const one = person(at, attach)
  await one.shows('up')
  await one.shows('coder | actor | working (Bash)')
  await one.shows('$0.42')
  entry = { ...base, needs_you: true, text: 'blocked (permission: Bash)', cost_usd: 1.5 }
  first.happens()
  await one.shows('coder | actor | blocked (permission: Bash)')
  await one.shows('$1.50')
  await first.stop()
  await one.shows('coder | host away')
  entry = { ...base, text: 'idle\u001b]52;c;eA==\u0007' }
  await host(at.root, () => entry)
  await one.shows('coder | actor | idle')
  expect(one.got()).not.toContain('\u001b]52')
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  expectRestored(one)
})

test('a host that does not know the agent says so, and nothing of it is in the way', async () => {
  const { at } = await stage('echo up; while read -r line; do echo "said <$line>"; done')
  await host(at.root, () => ({ name: 'someone-else' }))
  const one = person(at, attach)
  await one.shows('coder | unknown to the host')
  one.type('x\r')
  await one.shows('said <x>')
  await until(() => one.rows().at(-1)?.startsWith(' coder'), 'the bar')
})
