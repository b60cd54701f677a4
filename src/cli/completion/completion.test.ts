// The bash script in a real bash: what Tab would offer.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commands } from '../commands.ts'
import { completion } from './rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'agency-tab-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 }))
writeFileSync(join(folder, 'my role.yaml'), '')
writeFileSync(join(folder, 'script'), `${completion('bash', commands, ['agency', 'h2']).join('\n')}\n`)

const tab = (...words: string[]): string[] => {
  const program = `source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agency
printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = execFileSync('bash', ['--norc', '-uc', program, 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
  return said.split('\n').filter((line) => line !== '')
}

const cases: [string[], string[]][] = [
  [
    ['agency', 'sta'],
    ['status', 'start'],
  ],
  [['agency', 'cre'], ['credential']],
  [
    ['agency', 'role', ''],
    ['list', 'show', 'init', 'check', 'explain', 'test', 'switch'],
  ],
  [
    ['agency', 'credential', 'set', 'g'],
    ['github-token', 'gitlab-token'],
  ],
  [
    ['agency', '--json', 'shutdown', '--a'],
    ['--all', '--agents'],
  ],
  [
    ['agency', 'config', ''],
    ['list', 'get', 'set', '--json', '--help'],
  ],
  [['agency', 'completion', 'z'], ['zsh']],
  [['agency', 'run', '--role', ''], []],
  [['agency', 'run', '--', 's'], []],
  [['agency', 'validate', 'my'], ['my role.yaml']],
  [['agency', 'nonsense', '--a'], []],
]
test.each(cases)('%j offers %j', (words, offered) => expect(tab(...words)).toEqual(offered))

test('bash has it for both program names', () => {
  const said = execFileSync('bash', ['--norc', '-c', 'source ./script; complete -p agency h2'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(said).toBe('complete -F _agency agency\ncomplete -F _agency h2\n')
})

test('every command and option is in every script', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completion(shell, commands, ['agency']).join('\n')
    for (const { words, options } of commands) {
      for (const word of words) expect(script).toContain(word)
      for (const { name } of options) expect(script).toContain(name)
    }
  }
})
