// `@file` in a prompt puts the file before the model without a call: no PreToolUse is asked, so only the CLI's own rules hold.
import { expect } from 'vitest'
import { offeredTools } from '../../src/permission/tool/rules.ts'
import { builtinRoles } from '../../src/role/builtin/schema.ts'
import { completeRole } from '../../src/role/rules.ts'
import type { Rig } from '../twin/rig.ts'
import { says } from '../twin/say.ts'
import { real } from '../twin/twin.ts'
import { seen } from './api/ask.ts'

const why = 'needs what a model is told'

const told = async (
  rig: Rig,
  prompt: string,
  args: string[] = [],
  settings: object = {},
): Promise<boolean> => {
  const before = rig.api?.asked.length ?? 0
  const { code, stderr } = await rig.print(prompt, args, { settings })
  expect(code, stderr).toBe(0)
  return (rig.api?.asked.slice(before) ?? []).some(({ body }) => seen(body).includes('MARZIPAN'))
}

const staged = async (make: (scripts: ReturnType<typeof says>[]) => Promise<Rig>): Promise<Rig> => {
  const rig = await make([says('look', 'I saw it.', { times: 0 })])
  await rig.write('work/docs/secret.txt', 'The house word is MARZIPAN.\n')
  return rig
}

real('a rule that denies reading a file holds for a mention of it', why, async (make) => {
  const rig = await staged(make)
  const deny = (rule: string) => ({ permissions: { deny: [rule] } })
  const prompt = 'look at @docs/secret.txt'
  expect(await told(rig, prompt)).toBe(true)
  for (const rule of ['Read(docs/secret.txt)', 'Read(docs/**)', `Read(/${rig.work}/docs/**)`, 'Read'])
    expect([rule, await told(rig, prompt, [], deny(rule))]).toEqual([rule, false])
})

real('a role that may not read is not told of a file that is mentioned', why, async (make) => {
  const rig = await staged(make)
  const blind = completeRole({ name: 'blind', instructions: 'x', capabilities: { can_create_files: true } })
  const argsOf = (role: ReturnType<typeof completeRole>): string[] => {
    const { tools = [], disallowed = [] } = offeredTools(role)
    return [`--tools=${tools.join(',')}`, `--disallowedTools=${disallowed.join(',')}`]
  }
  const planner = completeRole(builtinRoles.find(({ name }) => name === 'planner') ?? { name: 'planner' })
  expect(await told(rig, 'look at @docs/secret.txt', argsOf(planner))).toBe(true)
  for (const prompt of [
    'look at @docs/secret.txt',
    'look at @docs',
    `look at @${rig.work}/docs/secret.txt#L1`,
  ])
    expect([prompt, await told(rig, prompt, argsOf(blind))]).toEqual([prompt, false])
})
