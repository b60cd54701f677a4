import { expect, test } from 'vitest'
import { forbidden, isReviewersOwn } from './rules.ts'

const bash = (command: unknown) => ({ tool: 'Bash', input: { command } })

test.each<[string, 'decide' | 'hook' | undefined]>([
  ['roz decide 1 COMPLETE ok', 'decide'],
  ['env -u CLAUDECODE roz decide 1 COMPLETE ok', 'decide'],
  ['/opt/plugin/bin/roz decide 1 COMPLETE ok | cat', 'decide'],
  ['true && agency review decide 1 COMPLETE ok', 'decide'],
  ["bash -lc 'roz decide 1 COMPLETE ok'", 'decide'],
  ['echo "$(roz decide 1 COMPLETE ok)"', 'decide'],
  ["echo '{}' | roz hook subagent-start", 'hook'],
  ['agency hook user-prompt < x', 'hook'],
  ['roz context 1', undefined],
  ['roz list', undefined],
  ['agency list', undefined],
  ['grep -r "roz decide" docs', undefined],
  ['ls', undefined],
  // Not decided by the text: left to the program, which refuses a verdict without a secret.
  ['$TOOL decide 1 COMPLETE ok # roz', undefined],
])('%s is forbidden as %s', (command, what) => expect(forbidden(bash(command))).toBe(what))

test('what is no command is none of ours', () => {
  expect(forbidden(bash(7))).toBeUndefined()
  expect(forbidden({ tool: 'Write', input: { command: 'roz decide 1 COMPLETE ok' } })).toBeUndefined()
})

const program = '/opt/plugin/bin/roz'
test.each<[string, boolean]>([
  [`${program} decide 1 COMPLETE "looked at all of it" --secret abc`, true],
  [`${program} decide 1 ISSUES 'no tests' --message 'a.ts: none; "x" is wrong' --secret abc`, true],
  [`${program} context 1`, true],
  [`${program} list`, false],
  [`${program} hook subagent-start`, false],
  [`${program}`, false],
  ['roz decide 1 COMPLETE ok', false],
  [`PATH=/tmp ${program} decide 1 COMPLETE ok`, false],
  [`${program}x decide 1 COMPLETE ok`, false],
  [`${program} decide 1 COMPLETE ok; rm -rf x`, false],
  [`${program} decide 1 COMPLETE ok && true`, false],
  [`${program} decide 1 COMPLETE ok | sh`, false],
  [`${program} decide 1 COMPLETE ok > x`, false],
  [`${program} decide 1 COMPLETE "$(rm x)"`, false],
  [`${program} decide 1 COMPLETE \`rm x\``, false],
  [`${program} decide 1 COMPLETE "$KEY"`, false],
  [`${program} decide 1 COMPLETE ok\nrm x`, false],
])('%j is the reviewer’s own: %s', (command, own) => expect(isReviewersOwn(bash(command), program)).toBe(own))
