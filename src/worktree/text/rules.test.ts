import { expect, test } from 'vitest'
import { command, harmless, hiddenIn, isBelow, isPartial, isPassing, isUntouched, quoted } from './rules.ts'

test.each([
  ['plain/path-1.x', 'plain/path-1.x'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$(x)', "'$(x)'"],
  ['~x', "'~x'"],
])('%j as a word is %s', (text, expected) => {
  expect(quoted(text)).toBe(expected)
})

test('a command is words', () => {
  expect(command('git', '-C', '/a b', 'status')).toBe("git -C '/a b' status")
})

test.each([
  ['/a', '/a/b', true],
  ['/a', '/a', false],
  ['/a', '/ab', false],
  ['/', '/a', true],
])('%s holds %s: %j', (directory, path, expected) => {
  expect(isBelow(directory, path)).toBe(expected)
})

test.each([
  ['fatal: failed to read .git/worktrees/a/commondir: Success', true],
  ["fatal: could not open '/r/.git/worktrees/a/gitdir' for writing: No such file or directory", true],
  ["fatal: Unable to create '/r/.git/refs/heads/a.lock': File exists.", true],
  ["fatal: cannot lock ref 'refs/heads/a': unable to resolve", true],
  ["fatal: could not open '/bare/worktrees/a/locked' for writing: No such file", true],
  ["fatal: could not open '/r/.git/worktrees/a/gitdir' for writing: Permission denied", false],
  ["fatal: '/w/worktrees/a' already exists", false],
  ["fatal: a branch named 'a' already exists", false],
])('%s passes by itself: %j', (words, expected) => {
  expect(isPassing(words.includes('/bare') ? '/bare' : '/r/.git', words)).toBe(expected)
})

test.each([
  ["warning: could not open directory 'x/': Permission denied", true],
  ["warning: unable to access '.gitignore': Too many levels of symbolic links", false],
  ['', false],
])('%s is half an answer: %j', (words, expected) => {
  expect(isPartial(words)).toBe(expected)
})

test.each([
  ["fatal: a branch named 'a' already exists", true],
  ["fatal: '/w/a' already exists", true],
  ["fatal: Unable to create '/r/.git/refs/heads/a.lock': File exists.", false],
])('%s came before anything was made: %j', (words, expected) => {
  expect(isUntouched(words)).toBe(expected)
})

test('files that status does not look at, and submodules', () => {
  const of = (tag: string, mode: string, path: string) => `${tag} ${mode} ${'0'.repeat(40)} 0\t${path}\0`
  const listed = [
    of('H', '100644', 'a b\nc'),
    of('h', '100644', 'assumed'),
    of('S', '100644', 'skipped'),
    of('H', '160000', 'module'),
    of('M', '100644', 'unmerged'),
  ].join('')
  expect(hiddenIn(listed)).toEqual({ flagged: ['assumed', 'skipped'], submodules: ['module'] })
  expect(hiddenIn('')).toEqual({ flagged: [], submodules: [] })
})

test('of a configuration only what says how files are read is kept', () => {
  const listed = [
    'core.repositoryformatversion\n1',
    'core.bare\ntrue',
    'core.autocrlf\ninput',
    'core.fsmonitor\n/evil',
    'core.filemode',
    'core.eol\nlf"\n[filter "x"]',
    'core.ignorecase\n!evil',
    'extensions.objectformat\nsha256',
    'extensions.partialclone\norigin',
    'filter.evil.smudge\n/evil',
    'include.path\n/evil',
    '',
  ].join('\0')
  expect(harmless(listed).split('\n')).toEqual([
    '[core]',
    '\trepositoryformatversion = 1',
    '[core]',
    '\tbare = false',
    '[core]',
    '\tautocrlf = input',
    '[core]',
    '\tfilemode = true',
    '[extensions]',
    '\tobjectformat = sha256',
    '',
  ])
  expect(harmless('')).toBe('[core]\n\trepositoryformatversion = 0\n[core]\n\tbare = false\n')
})
