// What an agent prints cannot act on the person's terminal, by whichever command it is looked at.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { world } from '../cli/kit.ts'
import { attach, detachKey, expectRestored, person, program, stage, until } from './kit.ts'

const e = '\u001b'
/** Clipboard in several spellings, printer, titles, keys, files, another character set, a count beyond reason. */
const attacks = [
  `${e}]52;c;ZXZpbA==\u0007`,
  `${e}]5\n2;c;ZXZpbA==${e}\\`,
  '\u009d52;c;ZXZpbA==\u009c',
  `${e}Ptmux;${e}${e}]52;c;ZXZpbA==\u0007${e}\\`,
  `${e}]1337;SetMark${e}\\${e}_Gt=f;ZXZpbA==${e}\\`,
  `${e}[5i${e}[21t${e}[22t${e}%@${e}P1|17/65${e}\\`,
  `x${e}[2147483647b`,
  `${e}[${'9;'.repeat(5000)}m${e}]${'z'.repeat(20_000)}`,
  `\u0007${e}[?1049h${e}[?1049l`,
].join('')
const garbage = Array.from(
  { length: 3000 },
  (_, n) => `${e}${String.fromCharCode(32 + (n % 95))}${n % 7}`,
).join('')

/** The agent prints the file, says when it is done, and stays. */
const prints = async (text: string) => {
  const staged = await stage(
    'stty -opost -echo; read -r file; cat "$file"; printf "\\r\\nprinted\\r\\n"; read -r go',
  )
  const file = join(staged.at.folder, 'attack')
  writeFileSync(file, text)
  await staged.keeper.input(Buffer.from(`${file}\n`))
  return staged
}

test.each([
  ['attacks', attacks],
  ['garbage', garbage],
])('%s reach nobody through peek and logs', async (_, text) => {
  const { at } = await prints(text)
  await until(async () => (await at.agency(['peek', 'coder'])).out.includes('printed'), 'it is printed')
  for (const line of [
    ['peek', 'coder'],
    ['peek', 'coder', '--json'],
    ['logs', 'coder'],
    ['logs', 'coder', '--json'],
    ['list'],
  ]) {
    const said = await at.agency(line)
    expect(said.code).toBe(0)
    expect(said.out + said.err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    if (line[0] !== 'list') expect(said.out).toContain('printed')
  }
  const one = person(at, `${program} logs coder --raw`)
  expect(await one.left()).toBe('2')
  expect(one.got()).toContain('could act')
  expect(one.got()).not.toContain('ZXZpbA')
})

test('attached, live and painted: the screen is the agent’s, the clipboard the person’s', async () => {
  const { at, keeper } = await stage(
    'stty -opost -echo; printf up; read -r file; cat "$file"; printf "\\r\\nprinted\\r\\n"; read -r go',
  )
  const live = person(at, attach)
  await live.shows('up')
  const file = join(at.folder, 'attack')
  writeFileSync(file, attacks)
  await keeper.input(Buffer.from(`${file}\n`))
  await live.shows('printed')
  const painted = person(at, attach)
  await painted.shows('printed')
  for (const one of [live, painted]) {
    one.type(detachKey)
    expect(await one.left()).toBe('0')
    expectRestored(one)
    for (const part of [
      `${e}]52`,
      `${e}]5\n2`,
      'tmux;',
      `${e}_`,
      `${e}%@`,
      `${e}[5i`,
      `${e}[21t`,
      '2147483647',
      '\u009d',
    ])
      expect(one.got()).not.toContain(part)
  }
})

test('the name of an agent that is none cannot act either', async () => {
  const at = world()
  await at.agency(['init'])
  mkdirSync(join(at.root, 'sessions', `${e}]52;c;eA==\u0007`), { recursive: true })
  for (const words of [
    ['logs', `${e}]52;c;eA==\u0007`],
    ['peek', '../../etc'],
    ['logs', 'nobody'],
  ]) {
    const said = await at.agency(words)
    expect(said.code).toBeGreaterThan(0)
    expect(said.out + said.err).not.toContain(e)
  }
})
