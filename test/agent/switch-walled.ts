// A switch puts walls up, or takes them down: what a command may write changes with the launch.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { launch, made, staged } from './switch.ts'

/** Nothing that could be known beforehand. */
const hidden = (file: string) => bash(`perl -e 'open(my $f, ">", "${file}") or exit 3; print $f "x"'`)

const tester = `permissions: {allow: [Bash]}
capabilities: {can_read_files: true, can_execute_commands: true}
sandbox: {enabled: true}
`

export const walledSwitchCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'who gets a role that changes nothing gets walls around it, and loses them with the next': async (make) => {
    const at = await staged(make, () =>
      ['one', 'two', 'three'].map((name) => ({
        match: `try ${name}`,
        replies: [{ calls: [hidden(name)] }, { text: 'Tried.' }],
      })),
    )
    const base = readFileSync(join(at.root, 'roles/s.yaml'), 'utf8').replace('name: s', 'name: tester')
    writeFileSync(join(at.root, 'roles/tester.yaml'), `${base}${tester}`)
    await launch(at, 'doer')
    const tried: boolean[] = []
    for (const [place, role] of ['doer', 'tester', 'doer'].entries()) {
      if (place > 0) {
        const { code, err } = await at.agency(['role', 'switch', 'a', role])
        expect(code, err).toBe(0)
      }
      const name = ['one', 'two', 'three'][place] ?? ''
      await at.say('a', `try ${name}`)
      await at.until('a', { state: 'idle', turns: place + 1, role })
      tried.push(made(at, name))
    }
    expect(tried).toEqual([true, false, true])
  },
}
