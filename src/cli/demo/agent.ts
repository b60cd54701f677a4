// The scripted agent on the stage, started as a driver starts Claude Code, under a hook that the act decides.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { claude } from '../../driver/claude/driver.ts'
import type { Answer, HookEvent, Order, Outcome } from '../../driver/schema.ts'
import type { Scenario } from '../../driver/scripted/scenario/schema.ts'
import type { Stage } from './stage.ts'

/** `deaf` = nobody listens where the hooks go. */
export type Watch = ((event: HookEvent) => Answer) | 'deaf'

const driver = claude('2.1.325 (Claude Code)')

type Listener = { readonly url: string; close(): void }

const listen = async (watch: Watch): Promise<Listener> => {
  const server = createServer(async (request, response) => {
    const read = driver.readHook(JSON.parse(await text(request)))
    const answer = read.ok && watch !== 'deaf' ? driver.answerHook(read.event, watch(read.event)) : undefined
    if (!read.ok) response.writeHead(500).end(read.problem)
    else if (answer === undefined) response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  if (watch === 'deaf') close()
  return { url, close }
}

const orderOf = ({ root, repository, env, hook }: Stage, session: string, url: string): Order => ({
  terminal: false,
  start: { kind: 'new', id: randomUUID() },
  cwd: repository,
  prompt: 'Go on.',
  permissionMode: 'bypassPermissions',
  agent: { name: 'scripted', role: 'actor' },
  paths: {
    root,
    session,
    config: join(session, '.claude'),
    tmp: join(session, 'tmp'),
    settings: join(session, 'settings.json'),
  },
  keeper: {
    hookUrl: `${url}/hook`,
    telemetryUrl: url,
    hookToken: randomUUID(),
    telemetryToken: randomUUID(),
    hookCommand: hook,
  },
  holdSeconds: 60,
  telemetry: true,
  retries: 0,
  asRoot: process.getuid?.() === 0,
  environment: { caller: env as Record<string, string>, inherit: 'all' },
})

/** Plays the scenario to its end. */
export const play = async (stage: Stage, scenario: Scenario, watch: Watch): Promise<Outcome> => {
  const session = join(stage.root, 'sessions', `scripted-${randomUUID().slice(0, 8)}`)
  await mkdir(join(session, 'tmp'), { recursive: true })
  const scenarioFile = join(session, 'scenario.json')
  await writeFile(scenarioFile, JSON.stringify(scenario))
  const listener = await listen(watch)
  try {
    const { argv, env, stdin, files } = driver.launch(stage.scripted, orderOf(stage, session, listener.url))
    for (const file of files) {
      await mkdir(dirname(file.path), { recursive: true })
      await writeFile(file.path, file.text, { mode: 0o600 })
    }
    const child = spawn(process.execPath, argv, {
      cwd: stage.repository,
      env: { ...env, AGENCY_SCENARIO: scenarioFile },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.end(stdin)
    const [out, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null, string | null]>,
    ])
    return driver.judge(out.split('\n').flatMap(driver.readStream), { code, signal, stderr })
  } finally {
    listener.close()
  }
}
