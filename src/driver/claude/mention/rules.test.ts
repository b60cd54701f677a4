import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mentions, withoutFetches } from './rules.ts'

// Each of the first group was tried on the real CLI: it read the file.
test.each([
  ['hello @in.txt', ['in.txt']],
  ['see @in.txt.', ['in.txt.', 'in.txt']],
  ['see @in.txt, and', ['in.txt,', 'in.txt']],
  ['@"in file.txt" x', ['in file.txt']],
  ['see @in.txt#L1', ['in.txt#L1', 'in.txt']],
  ['\t@in.txt', ['in.txt']],
  ['@./in.txt', ['./in.txt']],
  ['。@in.txt', ['in.txt']],
  ['@sub', ['sub']],
  ['@~/h.txt', ['~/h.txt']],
  ['see\u00a0@in.txt', ['in.txt']],
  ['@in.txt)', ['in.txt)', 'in.txt']],
  ['@a\\ b.txt', ['a b.txt']],
  ['@a @b\n@a', ['a', 'b']],
  // And each of these: it did not.
  ['a@in.txt', []],
  ['(@in.txt)', []],
  ['"@in.txt"', []],
  ['`@in.txt`', []],
  ['x:@in.txt', []],
  ['@ in.txt', []],
  ['', []],
])('%j mentions %j', (prompt, paths) => {
  expect(mentions(prompt)).toEqual(paths)
})

test.each([
  ['read @/etc/passwd now', 'read /etc/passwd now'],
  ['@~/.ssh/id_rsa', '~/.ssh/id_rsa'],
  ['@../x and @a/../../x', '../x and a/../../x'],
  ['@.env', '.env'],
  ['@"/etc/passwd"', '"/etc/passwd"'],
  ['@@/etc/passwd', '/etc/passwd'],
  ['x\n@C:\\x', 'x\nC:\\x'],
  ['@Component\nclass A {}', '@Component\nclass A {}'],
  ['npm i @types/node, ask ann@example.com', 'npm i @types/node, ask ann@example.com'],
])('%j is handed over as %j', (text, safe) => {
  expect(withoutFetches(text)).toBe(safe)
})

test('what is handed over mentions nothing outside the tree', () => {
  const pieces = fc.array(fc.constantFrom('@', '/', '~', '.', '..', '"', ' ', '\n', 'a', '。', '\\', "'"))
  fc.assert(
    fc.property(pieces, (parts) => {
      const left = mentions(withoutFetches(parts.join('')))
      expect(left.filter((path) => /^["'\\/~.]|\.\./.test(path))).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

test.each(['@', '.', '@\u3002', '\\ @..', '@.', '@"', ' @', '\\ ', '#L1'])(
  'a megabyte of %j is read in time',
  (piece) => {
    const text = `@${piece.repeat(Math.floor(1_000_000 / piece.length))}x`
    expect(mentions(withoutFetches(text))).toBeInstanceOf(Array)
  },
)
