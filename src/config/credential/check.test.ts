import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkCredentials, readIdentity } from './check.ts'
import { setCredential } from './keep.ts'

const github = `ghp_${'s'.repeat(36)}`
const gitlab = `glpat-${'t'.repeat(20)}`

const emptyRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'agency-check-'))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return root
}

const forge = async (answer: RequestListener): Promise<{ api: string; seen: IncomingMessage[] }> => {
  const seen: IncomingMessage[] = []
  const server = createServer((request, reply) => {
    seen.push(request)
    answer(request, reply)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
const json =
  (value: unknown): RequestListener =>
  (_, reply) =>
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(value))
const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, reply) =>
    reply.writeHead(code, headers).end('{}')

/** A port that just became free: nobody answers there. */
const offline = await new Promise<string>((done) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    server.close(() => done(`http://127.0.0.1:${port}`))
  })
})
const apis = (api: string) => ({ github: { api }, gitlab: { api } })

test('without credentials each is missing, with what to type', async () => {
  const missing = (name: string) => ({
    name,
    state: 'missing',
    says: 'does not exist',
    next: `Type \`agency credential set ${name}\`.`,
  })
  const states = await checkCredentials(await emptyRoot(), apis(offline))
  expect(states).toEqual(['claude-token', 'github-token', 'gitlab-token'].map(missing))
})

test('the forge names the identity for commits, and it is kept', async () => {
  const root = await emptyRoot()
  const { api, seen } = await forge(json({ login: 'octo', id: 7, name: 'Octo "O" Cat', email: null }))
  await setCredential(root, 'github-token', github)
  const states = await checkCredentials(root, apis(api))
  const identity = { name: 'Octo "O" Cat', email: '7+octo@users.noreply.127.0.0.1' }
  expect(states[1]).toEqual({ name: 'github-token', state: 'ready', identity })
  expect([seen[0]?.url, seen[0]?.headers.authorization]).toEqual(['/user', `Bearer ${github}`])
  expect(await readIdentity(root)).toEqual(identity)
  expect(JSON.stringify(states) + (await readFile(join(root, 'git-config'), 'utf8'))).not.toContain(github)
})

test('gitlab is asked its own way', async () => {
  const root = await emptyRoot()
  const { api, seen } = await forge(json({ username: 'fox', id: 3, name: 'Fox', commit_email: 'fox@x.org' }))
  await setCredential(root, 'gitlab-token', gitlab)
  await checkCredentials(root, apis(`${api}/api/v4/`))
  expect([seen[0]?.url, seen[0]?.headers['private-token']]).toEqual(['/api/v4/user', gitlab])
  expect(await readIdentity(root)).toEqual({ name: 'Fox', email: 'fox@x.org' })
})

test('an identity that a person wrote stays', async () => {
  const root = await emptyRoot()
  await writeFile(join(root, 'git-config'), 'name: Me\nemail: me@x.org\n')
  await setCredential(root, 'github-token', github)
  await checkCredentials(root, apis((await forge(json({ login: 'octo', id: 7 }))).api))
  expect(await readIdentity(root)).toEqual({ name: 'Me', email: 'me@x.org' })
})

test.each<[string, RequestListener | undefined, { state: string; says: RegExp }]>([
  ['refused', status(401), { state: 'bad', says: /^is refused by http/ }],
  ['broken', status(503), { state: 'ready', says: /answered 503$/ }],
  ['redirected', status(302, { location: `${offline}/` }), { state: 'ready', says: /answered 302$/ }],
  [
    'not JSON',
    (_, reply) => reply.end('<html>'),
    { state: 'ready', says: /cannot be reached$|did not name/ },
  ],
  ['nobody', json({}), { state: 'ready', says: /did not name a user$/ }],
  ['offline', undefined, { state: 'ready', says: /cannot be reached$/ }],
])('a forge that is %s is said so, and no identity is made up', async (_, answer, expected) => {
  const root = await emptyRoot()
  await setCredential(root, 'github-token', github)
  const api = answer === undefined ? offline : (await forge(answer)).api
  const [, state] = await checkCredentials(root, apis(api))
  expect(state).toMatchObject({ state: expected.state, says: expect.stringMatching(expected.says) })
  expect(await readIdentity(root)).toBeUndefined()
})

test('an odd or exposed credential is named without its value', async () => {
  const root = await emptyRoot()
  await setCredential(root, 'claude-token', 'hunter2')
  await setCredential(root, 'github-token', github)
  await chmod(join(root, 'credentials/github-token'), 0o644)
  const states = await checkCredentials(root, apis(offline))
  expect(states.map(({ state, says }) => [state, says])).toEqual([
    ['ready', 'does not look like sk-ant-…'],
    ['unsafe', 'can be read or written by others'],
    ['missing', 'does not exist'],
  ])
  expect(JSON.stringify(states)).not.toContain('hunter2')
})
