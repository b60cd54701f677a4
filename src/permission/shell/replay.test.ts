// What is said not to run does not run, in a real bash.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { matchPattern } from '../match/rules.ts'

/** Nothing is on its PATH but bash and a gh that leaves a trace. */
const stage = () => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-replay-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const [bin, cwd, trace] = [join(folder, 'bin'), join(folder, 'cwd'), join(folder, 'trace')]
  mkdirSync(bin)
  mkdirSync(cwd)
  const bash = execFileSync('/bin/sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim()
  symlinkSync(bash, join(bin, 'bash'))
  writeFileSync(join(bin, 'gh'), `#!${bash}\n[[ "$1 $2" == "issue close" ]] && : > ${trace}\n`)
  chmodSync(join(bin, 'gh'), 0o755)
  return (line: string): boolean => {
    rmSync(trace, { force: true })
    const options = { cwd, env: { PATH: bin }, input: '', timeout: 20_000, killSignal: 'SIGKILL' } as const
    spawnSync(bash, ['--norc', '-c', line], { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
    return existsSync(trace)
  }
}

const command = 'gh issue close 1'
const fragments = fc.constantFrom(
  ...[command, command, `${command};`, `'${command}'`, `"${command}"`, `echo ${command}`, '{gh,issue,close}'],
  ...[
    ' ',
    ' ',
    '\n',
    ';',
    '&&',
    '||',
    '|',
    '(',
    ')',
    '{ ',
    ' }',
    ' #',
    '#',
    '"',
    "'",
    '`',
    '$(',
    ')',
    '\\',
    '\\\n',
  ],
  ...[
    '$',
    '$\\{x:-',
    '}',
    '$((',
    '))',
    '[[ ',
    ' ]]',
    'a',
    'echo ',
    'x=',
    'x=gh ',
    '$x',
    '<<E\n',
    '\nE\n',
    "<<'E'\n",
  ],
  ...[
    '<<<',
    '<(',
    '>f',
    '<f',
    '2>&1',
    'if true; then ',
    '; fi',
    'for i in 1; do ',
    '; done',
    'case a in a) ',
    ';; esac',
  ],
  ...[
    'f() { ',
    '; }; f',
    '! ',
    'time ',
    'eval ',
    'bash -c ',
    '| bash',
    "$'",
    '\\x67',
    '\t',
    '*',
    '=',
    '$"',
    '\r',
    '\u00a0',
  ],
)

test('a real bash runs it in no line that is answered no', () => {
  const runs = stage()
  expect(runs(command)).toBe(true)
  const lines = fc
    .array(fragments, { minLength: 2, maxLength: 9 })
    .map((all) => all.join('').replaceAll('$\\{', '$' + '{'))
  const plain = lines.filter((line) => {
    const { match } = matchPattern('Bash:gh issue close*', { tool: 'Bash', input: { command: line } })
    return match === 'no' && line.includes('gh')
  })
  fc.assert(
    fc.property(plain, (line) => {
      expect(runs(line), line).toBe(false)
    }),
    { numRuns: 300, seed: 5 },
  )
}, 120_000)
