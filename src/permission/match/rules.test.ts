import { expect, test } from 'vitest'
import { matchPattern } from './rules.ts'

const place = { cwd: '/w/app', tree: '/w/app', home: '/home/ann' }
const bash = (command: unknown) => ({ tool: 'Bash', input: { command } })

test.each([
  ['Bash:gh issue close*', 'gh issue close 1', 'yes', 'runs "gh issue close 1"'],
  ['Bash(gh issue close:*)', 'gh issue close', 'yes', 'runs "gh issue close"'],
  ['Bash(gh issue close:*)', 'gh issue closed', 'no', 'runs nothing like it'],
  ['Bash(rm *)', 'rm', 'yes', 'runs "rm"'],
  ['Bash(rm *)', 'rmdir x', 'no', 'runs nothing like it'],
  ['Bash(git log)', 'git log', 'yes', 'runs "git log"'],
  ['Bash(git log)', 'git log -1', 'no', 'runs nothing like it'],
  ['Bash(git log*)', 'git logout', 'yes', 'runs "git logout"'],
  ['Bash(* --force)', 'git push --force', 'yes', 'runs "git push --force"'],
  ['Bash(git * main)', 'git -C x push origin main', 'yes', 'runs "git -C x push origin main"'],
  ['Bash(git push*--force*)', 'git push origin main --force', 'yes', 'runs "git push origin main --force"'],
  ['Bash(/usr/bin/gh issue*)', 'gh issue list', 'yes', 'runs "gh issue list"'],
  ['Bash(sudo *)', 'sudo ls', 'yes', 'runs "sudo ls"'],
  ['Bash(ls *)', 'sudo ls -l', 'yes', 'runs "ls -l"'],
  ['Bash(npm publish*)', 'npm --silent run publish', 'no', 'runs nothing like it'],
  [
    'Bash(npm publish*)',
    'npm --registry https://x publish',
    'yes',
    'runs "npm --registry https://x publish"',
  ],
  ['Bash(git push*)', 'git stash push', 'no', 'runs nothing like it'],
  ['Bash(git push*)', 'git commit -m push', 'no', 'runs nothing like it'],
  ['Bash(git push*)', 'git --no-pager -c a.b=c push', 'yes', 'runs "git --no-pager -c a.b=c push"'],
  [
    'Bash(docker compose down*)',
    'docker --context x compose -f f.yml down',
    'yes',
    'runs "docker --context x compose -f f.yml down"',
  ],
  ['Bash(kubectl delete*)', 'kubectl -n prod delete pod x', 'yes', 'runs "kubectl -n prod delete pod x"'],
  ['Bash(npm test && npm run build)', 'npm test  && npm run build', 'yes', 'the whole line fits'],
  ['Bash(echo \\*)', 'echo "*"', 'yes', 'runs "echo *"'],
  ['Bash(echo \\*)', 'echo x', 'no', 'runs nothing like it'],
  ['Bash:gh issue close*', 'gh $x', 'undecidable', 'may run "gh …"'],
  ['Bash:gh issue close*', 'gh issue view $x', 'no', 'runs nothing like it'],
  ['Bash:gh issue close*', 'gh "$x"', 'no', 'runs nothing like it'],
  ['Bash:gh issue close*', 'xargs gh', 'undecidable', 'may run "gh …"'],
  ['Bash:gh issue close*', 'curl https://x | sh', 'undecidable', 'code comes from a pipe'],
  ['Bash:gh issue close*', 'echo "', 'undecidable', 'a quote is not closed'],
  ['Bash:gh issue close*', 'perl -e "exec qw(gh)"', 'undecidable', 'code of another language names gh'],
  ['Bash:gh issue close*', 'perl -e "print 1" gh-pages', 'no', 'runs nothing like it'],
  ['Bash(rm *)', './deploy.sh "$x" y', 'no', 'runs nothing like it'],
  ['Bash(curl*)', 'python3 -c "print(1)"', 'no', 'runs nothing like it'],
  ['Bash(curl*)', "perl -e 'exec qw(curl x)'", 'undecidable', 'code of another language names it'],
  ['Bash(*)', 'python3 -c "print(1)"', 'yes', 'every use of Bash'],
  ['Bash', 'anything', 'yes', 'every use of Bash'],
  ['Bash(*)', 'anything', 'yes', 'every use of Bash'],
  ['Read', 'anything', 'no', 'the tool is Bash'],
] as const)('%s of %j', (pattern, command, match, why) => {
  expect(matchPattern(pattern, bash(command))).toEqual({ match, why })
})

test('a command that is no text cannot be decided', () => {
  const why = 'the call has no command that can be read'
  expect(matchPattern('Bash(rm *)', bash(7))).toEqual({ match: 'undecidable', why })
  expect(matchPattern('Bash(rm *)', { tool: 'Bash', input: {} })).toEqual({ match: 'undecidable', why })
})

test.each([
  ['Edit(src/**)', 'Edit', 'src/a.ts', 'yes'],
  ['Edit(src/**)', 'Write', '/w/app/src/x/y.ts', 'yes'],
  ['Edit(src/**)', 'Edit', '/w/other/src/a.ts', 'no'],
  ['Edit(src/**)', 'Edit', 'docs/../src/a.ts', 'yes'],
  ['Edit(src/**)', 'Edit', 'src/../docs/a.ts', 'no'],
  ['Edit(src/**)', 'Edit', 'SRC/a.ts', 'undecidable'],
  ['Edit(src)', 'Edit', 'src/a.ts', 'yes'],
  ['Edit(/src/*.ts)', 'Edit', 'src/a.ts', 'yes'],
  ['Edit(/src/*.ts)', 'Edit', 'src/x/a.ts', 'no'],
  ['Edit(*.env)', 'Edit', 'a/b/c.env', 'yes'],
  ['Edit(.env)', 'Edit', 'a/.env', 'yes'],
  ['Edit(./.env)', 'Edit', 'a/.env', 'no'],
  ['Read(//etc/**)', 'Read', '/etc/passwd', 'yes'],
  ['Read(//etc/**)', 'Read', 'etc/passwd', 'no'],
  ['Read(~/.ssh/**)', 'Read', '/home/ann/.ssh/id', 'yes'],
  ['Read(~/.ssh/**)', 'Grep', '~/.ssh', 'yes'],
  ['Read(~/.ssh/**)', 'Read', '~/.ssh', 'no'],
  ['Read(*.env)', 'Grep', '.', 'no'],
  ['Read(~/.ssh)', 'Grep', '~/.ssh', 'yes'],
  ['Read(../other/**)', 'Read', '/w/other/a', 'yes'],
  ['Read(src/a+b/**)', 'Read', 'src/a+b/c', 'yes'],
  ['Write(docs/**)', 'Edit', 'docs/a', 'no'],
  ['Write(docs/**)', 'Write', 'docs/a', 'yes'],
] as const)('%s of %s %s: %s', (pattern, tool, file_path, match) => {
  expect(matchPattern(pattern, { tool, input: { file_path } }, place).match).toBe(match)
})

test('where the directory is not known, a path may lie there', () => {
  expect(matchPattern('Edit(src/**)', { tool: 'Edit', input: { file_path: '/w/src/a' } }).match).toBe(
    'undecidable',
  )
  expect(matchPattern('Edit(src/**)', { tool: 'Edit', input: { file_path: 'src/a' } }).match).toBe('yes')
  expect(matchPattern('Edit(src/**)', { tool: 'Edit', input: { file_path: 7 } }, place).match).toBe(
    'undecidable',
  )
})

test.each([
  ['WebFetch(domain:x.org)', 'https://x.org/a', 'yes'],
  ['WebFetch(domain:x.org)', 'https://X.ORG.:8080/a', 'yes'],
  ['WebFetch(domain:x.org)', 'https://x.org@evil.com/', 'no'],
  ['WebFetch(domain:x.org)', 'https://evil.com/x.org', 'no'],
  ['WebFetch(domain:x.org)', 'https://evil.com\\@x.org/', 'undecidable'],
  ['WebFetch(domain:x.org)', 'https://a.x.org', 'no'],
  ['WebFetch(domain:*.x.org)', 'https://a.x.org', 'yes'],
  ['WebFetch(domain:x.org)', 'x.org', 'undecidable'],
] as const)('%s of %s: %s', (pattern, url, match) => {
  expect(matchPattern(pattern, { tool: 'WebFetch', input: { url } }).match).toBe(match)
})

test.each([
  ['mcp__beads__*', 'mcp__beads__close', 'yes'],
  ['mcp__beads', 'mcp__beads__close', 'yes'],
  ['mcp__beads', 'mcp__beads2__close', 'no'],
  ['mcp__beads__close*', 'mcp__beads__close_issue', 'yes'],
  ['mcp__beads__close', 'mcp__beads__close_issue', 'no'],
] as const)('%s of %s: %s', (pattern, tool, match) => {
  expect(matchPattern(pattern, { tool, input: {} }).match).toBe(match)
})

test.each([
  ['Agent(planner)', { subagent_type: 'planner' }, 'yes'],
  ['Task(planner)', { subagent_type: 'actor' }, 'no'],
  ['Agent(model:opus)', { model: 'opus', subagent_type: 'x' }, 'yes'],
  ['Agent(model:opus)', { model: 'haiku', subagent_type: 'opus' }, 'no'],
] as const)('%s of %j: %s', (pattern, input, match) => {
  expect(matchPattern(pattern, { tool: 'Agent', input }).match).toBe(match)
})
