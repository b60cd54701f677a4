// The real CLI within walls: it logs in with a key that it does not have, and its hooks reach the host.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { patience, processesOf } from '../agent/kit.ts'
import { ask } from '../agent/tasks.ts'
import { needWalls } from '../sandbox/kit.ts'
import { key } from '../twin/place.ts'

needWalls()

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const steal = `env > env.txt; grep -rl '${key.slice(0, -1)}[${key.slice(-1)}]' $HOME $CLAUDE_CONFIG_DIR > found.txt 2>/dev/null; cat ~/secret > stolen.txt 2>&1; echo x > .claude/x.json; true`

test.each([
  ['none', 'network: none'],
  ['proxy', 'network: proxy, allowed_hosts: [example.com]'],
])('claude: network %s', async (_, network) => {
  const at = await castOf('claude')(
    {
      scripts: [
        { match: 'first', replies: [bash(steal), { text: 'Done.' }] },
        { match: 'second', replies: [bash('curl --version > asked'), { text: 'Done.' }] },
      ],
    },
    `permissions:\n  allow: ["Bash(env *)", "Bash(grep *)", "Bash(cat *)", "Bash(echo *)", "Bash(true *)"]\nsandbox: {enabled: true, ${network}}\npermission_mode: bypassPermissions\n`,
  )
  writeFileSync(join(at.home, 'secret'), 'swordfish')
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  await at.until('a', { state: 'idle', turns: 0 })
  await at.say('a', 'first')
  await at.until('a', { state: 'idle', turns: 1 })
  expect(readFileSync(join(at.cwd, 'env.txt'), 'utf8')).not.toContain(key)
  expect(readFileSync(join(at.cwd, 'found.txt'), 'utf8')).toBe('')
  expect(readFileSync(join(at.cwd, 'stolen.txt'), 'utf8')).not.toContain('swordfish')
  await expect.poll(async () => (await at.agent('a'))?.tokens, patience).toBeGreaterThan(0)
  const keeper = await at.keeper('a')
  const exit = await keeper.end(20_000)
  expect(exit).toMatchObject({ asked: true, forced: false, left: [] })
  await expect.poll(() => processesOf(keeper), patience).toEqual([])
  expect(readdirSync(at.cwd).sort()).toEqual(['env.txt', 'found.txt', 'stolen.txt'])
  expect(existsSync(join(at.directory('a'), 'walls.json'))).toBe(false)
})

test('claude: headless, it tells its maker nothing, and keeps nothing to be told later', async () => {
  const at = await castOf('claude')({ scripts: [{ replies: [{ text: 'Done.' }] }] })
  // Nobody but the walls asks for it.
  delete at.env.CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC
  mkdirSync(join(at.root, 'agents/ag'), { recursive: true })
  writeFileSync(join(at.root, 'agents/ag/config.yaml'), 'role: s\nsandbox: { network: proxy }\n')
  expect((await at.agency(['start'])).code).toBe(0)
  const { task_id: id } = (await ask(at, 'POST', '/agents/ag/task', { prompt: 'go' })).body
  await expect
    .poll(async () => (await ask(at, 'GET', `/agents/ag/task/${id}`)).body.state, patience)
    .toBe('completed')
  const config = readdirSync(join(at.root, 'sessions/ag/.claude'))
  expect(config).toContain('projects')
  expect(config).not.toContain('telemetry')
})
