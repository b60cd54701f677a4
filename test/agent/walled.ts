// Who may run commands but change nothing: what can be known is refused with a word, the rest fails at the walls.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience } from './kit.ts'

const role = `permissions: {allow: [Bash]}
capabilities: {can_read_files: true, can_execute_commands: true}
sandbox: {enabled: true}
`

const one = (command: string) => ({ calls: [bash(command)] })

export const walledCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'who may run but not change runs what it likes and changes nothing': async (make) => {
    const commands = [
      'cat kept.txt',
      'echo x > kept.txt',
      'rm kept.txt',
      'touch new.txt',
      `perl -e 'open(my $f, ">", "kept.txt") or exit 3; print $f "x"'`,
      `perl -e 'unlink("kept.txt") or exit 3'`,
      `perl -e 'open(my $f, ">", "/tmp/mine") or exit 3; print "made"'`,
    ]
    const at = await make({ scripts: [{ replies: [...commands.map(one), { text: 'Done.' }] }] }, role)
    writeFileSync(join(at.cwd, 'kept.txt'), 'kept\n')
    const said = await at.run('a')
    expect(said.code, said.err).toBe(0)
    await at.say('a', 'go')
    await at.until('a', { state: 'idle', turns: 1 })
    expect(readFileSync(join(at.cwd, 'kept.txt'), 'utf8')).toBe('kept\n')
    expect(readdirSync(at.cwd)).toEqual(['kept.txt'])
    const decided = await at.journal('session.decided')
    expect(decided.map(({ data }) => [data.verdict, data.rule].join(' '))).toEqual([
      'allow Bash',
      'deny can_write_files',
      'deny can_delete_files',
      'deny can_create_files',
      'allow Bash',
      'allow Bash',
      'allow Bash',
    ])
    // Those that were let through ran: two of them into the walls.
    await expect
      .poll(async () => (await at.journal('session.returned')).map(({ data }) => data.ok), patience)
      .toEqual([true, false, false, true])
  },
}
