import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program } from '../cli/kit.ts'
import { terminal } from '../cli/screen.ts'
import { approvalCases } from './approvals.ts'
import { castOf } from './cast.ts'
import { patience } from './kit.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(approvalCases)) test(name, () => run(make))

test('a rule for the role is written when a person says so at the terminal, and only then', async () => {
  const at = await make({
    scripts: [
      { replies: [{ calls: [{ name: 'Bash', input: { command: 'touch ran' } }] }, { text: 'Done.' }] },
    ],
  })
  await at.run('a')
  await at.say('a', 'go')
  await at.until('a', { state: 'blocked', approval: expect.any(String) })
  const role = (): string => readFileSync(join(at.root, 'roles/s.yaml'), 'utf8')
  const command = `${program} approve a --always role`
  const no = terminal(at, command)
  await expect.poll(no.screen, patience).toContain('[y/N]')
  expect(no.screen()).toContain('+     - Bash(touch ran)')
  no.type('\r')
  await expect.poll(no.screen, patience).toContain('code=1')
  expect(role()).not.toContain('touch ran')
  await at.until('a', { state: 'blocked' })
  const yes = terminal(at, command)
  await expect.poll(yes.screen, patience).toContain('[y/N]')
  yes.type('y\r')
  await expect.poll(yes.screen, patience).toContain('code=0')
  expect(role()).toContain('- Bash(touch ran)')
  await at.until('a', { state: 'idle', turns: 1 })
})
