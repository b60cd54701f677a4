// What `agency list` says of an agent is what the agent does.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { patience, stage } from './kit.ts'

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

test('idle, working on a tool, idle again; tokens and cost are counted', async () => {
  const at = await stage(
    { scripts: [{ replies: [bash('while [ ! -e go ]; do sleep 0.1; done'), { text: 'Done.' }] }] },
    { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' },
  )
  expect((await at.run('a')).err).not.toContain('error')
  await at.until('a', { state: 'idle', turns: 0 })
  await at.say('a', 'work')
  await at.until('a', { state: 'working', text: 'working (Bash)' })
  writeFileSync(join(at.cwd, 'go'), '')
  const idle = await at.until('a', { state: 'idle', turns: 1 })
  expect(idle.managed).toBe(true)
  await expect.poll(async () => (await at.agent('a'))?.tokens, patience).toBeGreaterThan(0)
  expect((await at.agent('a'))?.cost_usd).toBeGreaterThan(0)
})

test('a dialog blocks until a person answers: yes goes on, no ends the turn', async () => {
  const at = await stage({
    scripts: [
      { match: 'first', replies: [bash('touch first-ran'), { text: 'Done.' }] },
      { match: 'second', replies: [bash('touch second-ran'), { text: 'Done.' }] },
    ],
  })
  await at.run('a')
  await at.say('a', 'first')
  await at.until('a', { state: 'blocked', blocked_tool: 'Bash', needs_you: true })
  expect((await at.agency(['list'])).out).toMatch(/blocked \(permission: Bash, a\w+\) !/)
  await at.press('a', '1', /Do you want/)
  await at.until('a', { state: 'idle', turns: 1 })
  expect(existsSync(join(at.cwd, 'first-ran'))).toBe(true)
  await at.say('a', 'second')
  await at.until('a', { state: 'blocked', blocked_tool: 'Bash' })
  await at.press('a', '\u001b', /Do you want/)
  await at.until('a', { state: 'idle' })
  expect(existsSync(join(at.cwd, 'second-ran'))).toBe(false)
})

test('a prompt that would read outside the work tree is refused, one inside is not', async () => {
  const at = await stage({ scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] })
  await at.run('a')
  await at.say('a', 'look at @inside.txt')
  await at.until('a', { state: 'idle', turns: 1 })
  await at.say('a', 'look at @/etc/passwd')
  await expect.poll(() => at.screen('a'), patience).toContain('outside the work tree')
  expect(await at.agent('a')).toMatchObject({ state: 'idle', turns: 1 })
  expect(await at.journal('session.refused')).toMatchObject([{ data: { what: 'prompted' } }])
})

test('settings that change while it runs are not applied', async () => {
  const at = await stage({ scripts: [{ replies: [bash('touch ran'), { text: 'Done.' }] }] })
  await at.run('a')
  mkdirSync(join(at.cwd, '.claude'))
  appendFileSync(join(at.cwd, '.claude/settings.json'), '{"permissions":{"allow":["Bash"]}}')
  await expect
    .poll(() => at.journal('session.refused'), patience)
    .toMatchObject([{ data: { what: 'config_changed' } }])
  await at.say('a', 'work')
  await at.until('a', { state: 'blocked', blocked_tool: 'Bash' })
  expect(existsSync(join(at.cwd, 'ran'))).toBe(false)
})
