import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeRule, parseRule } from './rules.ts'

test.each([
  ['Read', { tool: 'Read' }],
  ['Bash(rm -rf *)', { tool: 'Bash', pattern: 'rm -rf *' }],
  ['Bash(python -c "print(1)")', { tool: 'Bash', pattern: 'python -c "print(1)"' }],
  ['Bash(echo \\))', { tool: 'Bash', pattern: 'echo \\)' }],
  ['Edit(internal/**/*.go)', { tool: 'Edit', pattern: 'internal/**/*.go' }],
  ['Read(//etc/**)', { tool: 'Read', pattern: '//etc/**' }],
  ['WebFetch(domain:example.com)', { tool: 'WebFetch', pattern: 'domain:example.com' }],
  ['mcp__github', { tool: 'mcp__github' }],
  ['mcp__github__create_issue', { tool: 'mcp__github__create_issue' }],
  ['mcp__my-server__*', { tool: 'mcp__my-server__*' }],
  ['  Bash(make test)  ', { tool: 'Bash', pattern: 'make test' }],
])('%j is read', (text, rule) => {
  expect(parseRule(text)).toEqual({ rule })
})

test.each([
  ['', 'a rule must name a tool'],
  ['   ', 'a rule must name a tool'],
  ['Bash(rm', '"Bash(rm" has a parenthesis without its other half'],
  ['Bash)rm(', '"Bash)rm(" has a parenthesis without its other half'],
  ['Bash(rm) *', '"Bash(rm) *" has text after the parenthesis'],
  ['Bash()', '"Bash()" has nothing in its parentheses; write Bash alone'],
  ['(rm *)', '"(rm *)" must start with a tool name, such as Bash or mcp__server__tool'],
  ['bash(rm *)', '"bash(rm *)" must start with a tool name, such as Bash or mcp__server__tool'],
  ['Bash: rm *', '"Bash: rm *" must start with a tool name, such as Bash or mcp__server__tool'],
  ['rm -rf', '"rm -rf" must start with a tool name, such as Bash or mcp__server__tool'],
  ['mcp__', '"mcp__" must be mcp__server or mcp__server__tool'],
  ['mcp__a b', '"mcp__a b" must be mcp__server or mcp__server__tool'],
  ['mcp__x__y(z)', '"mcp__x__y(z)": rules for MCP tools take no parentheses'],
  [`mcp__${'_'.repeat(2000)}`, 'a rule has at most 2000 characters'],
  ['Bash(rm\n*)', 'a rule is one line without control characters'],
])('%j is refused', (text, problem) => {
  expect(parseRule(text)).toEqual({ problem })
  expect(judgeRule(text)).toEqual({ problem })
})

test.each([
  ['Bash(npm run test:*)', {}],
  ['Glob', {}],
  ['mcp__anything__at_all', {}],
  [
    'Bsh(rm *)',
    { warning: '"Bsh" is not a tool of Claude Code, so this rule matches nothing', meant: 'Bash' },
  ],
  ['Telegraph', { warning: '"Telegraph" is not a tool of Claude Code, so this rule matches nothing' }],
  ['Read(src:*)', { warning: '"Read(src:*)": ":*" is for Bash; paths take "*" and "**"' }],
  ['Bash(git:* push)', { warning: '"Bash(git:* push)": ":*" counts only at the end' }],
  [
    'WebFetch(https://x.org)',
    { warning: '"WebFetch(https://x.org)" matches nothing; write WebFetch(domain:example.com)' },
  ],
])('%j is judged', (text, opinion) => {
  expect(judgeRule(text)).toEqual(opinion)
})

test('what is read says the same as what was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 30 }), (text) => {
      const parsed = parseRule(text)
      if ('problem' in parsed) return
      const { tool, pattern } = parsed.rule
      expect(pattern === undefined ? tool : `${tool}(${pattern})`).toBe(text.trim())
    }),
  )
})
