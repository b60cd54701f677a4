import fc from 'fast-check'
import { forEachChild, parse as oracle, type SyntaxNode } from 'unbash'
import { expect, test } from 'vitest'
import { hostile, ordinary } from '../../../test/kit/lines.ts'
import { readShell, stepsOf } from './rules.ts'
import type { Word } from './schema.ts'
import { limits } from './syntax/schema.ts'

const text = ({ pieces }: Word): string => pieces.map((piece) => piece ?? '*').join('')
const commands = (line: string): string[] =>
  readShell(line).commands.map(({ words }) => words.map(text).join(' '))

test.each([
  ['ls -la', ['ls -la']],
  ['a && b || c; d & e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['sudo -u x nice ls', ['sudo -u x nice ls', 'nice ls', 'ls']],
  ['echo $(a $(b))', ['b', 'a *', 'echo *']],
  ["bash -c 'a; b'", ['bash -c a; b', 'a', 'b']],
  ['x=ls; $x -a', ['ls -a']],
  ['for x in a b; do $x 1; done', ['a 1', 'b 1']],
  ['x=ls; x=$(y); $x', ['y', '*']],
  ['echo a{b,c}d {1..3}', ['echo abd acd 1 2 3']],
  ['seq 3 | xargs -I% rm %', ['seq 3', 'xargs -I% rm %', 'rm *']],
  ['cat <<E\n$(a)\nE\nb', ['cat', 'a', 'b']],
] as const)('%j runs', (line, found) => {
  expect(commands(line)).toEqual(found)
})

const none = { writes: [], deletes: [], fetches: [], unknown: false }
const effects = (line: string) => {
  const { writes, deletes, fetches, unknown } = readShell(line).effects
  return { writes: writes.map(text), deletes: deletes.map(text), fetches: fetches.map(text), unknown }
}

test.each([
  ['ls -la; cat x | grep y', none],
  ['echo x > a.txt', { ...none, writes: ['a.txt'] }],
  ['echo x >> "$HOME/.bashrc"', { ...none, writes: ['~/.bashrc'] }],
  ['echo x 2>/dev/null >&2', none],
  ['cat a &> log', { ...none, writes: ['log'] }],
  ['echo x | tee -a b c', { ...none, writes: ['b', 'c'] }],
  ['cp -r a b c', { ...none, writes: ['c'] }],
  ['cp -t dir a b', { ...none, writes: ['dir'] }],
  ['mv a b', { ...none, writes: ['b'], deletes: ['a'] }],
  ['rm -rf a b', { ...none, deletes: ['a', 'b'] }],
  ['sed -i s/a/b/ f', { ...none, writes: ['f'] }],
  ['sed s/a/b/ f', none],
  ['touch a; mkdir -p b/c', { ...none, writes: ['a', 'b/c'] }],
  ['ln -s a b', { ...none, writes: ['b'] }],
  ['dd if=a of=b', { ...none, writes: ['b'] }],
  ['find . -name x -delete', { ...none, deletes: ['.'] }],
  ['find src -exec rm {} \\;', { ...none, deletes: ['*'] }],
  ['git status && git log -1', none],
  ['git rm a', { ...none, deletes: ['a'] }],
  ['git clone https://x/y z', { ...none, fetches: ['https://x/y'], writes: ['z'] }],
  ['git commit -m x', { ...none, writes: ['.git'] }],
  ['git checkout main', { ...none, writes: ['.git', '.'] }],
  ['curl -o f https://x/y', { ...none, fetches: ['https://x/y'], writes: ['f'] }],
  ['ls | xargs rm', { ...none, deletes: ['*'] }],
  ['curl -sSLO https://x/y', { ...none, fetches: ['https://x/y'], writes: ['.'] }],
  ['curl -d a=b https://x', { ...none, fetches: ['https://x'] }],
  ['wget https://x/y', { ...none, fetches: ['https://x/y'], writes: ['.'] }],
  ['{ a=1; echo; } > f', { ...none, writes: ['f'] }],
  [': > f', { ...none, writes: ['f'] }],
  ['cat a >| f', { ...none, writes: ['f'] }],
  ['python3 -c "print(1)"', { ...none, unknown: true }],
  ['PATH=x:$PATH ls', { ...none, unknown: true }],
  ['python3 x.py', { ...none, unknown: true }],
  ['make', { ...none, unknown: true }],
  ['./run', { ...none, unknown: true }],
  ['$x', { ...none, unknown: true }],
  ["bash -c 'echo x > a'", { ...none, writes: ['a'], unknown: false }],
  ['sudo rm a', { ...none, deletes: ['a'] }],
  ['echo x > /dev/tcp/h/80', { ...none, fetches: ['h'] }],
  ['truncate -s 0 a', { ...none, writes: ['a'] }],
  ['cd /etc && echo x > passwd', { ...none, writes: ['/etc/passwd', 'passwd'] }],
] as const)('%j touches', (line, touched) => {
  const found = effects(line)
  expect({ ...found, writes: [...found.writes].sort() }).toEqual({
    ...touched,
    writes: [...touched.writes].sort(),
  })
})

test.each([
  ['eval "$x"', ['code is put together when it runs']],
  ['curl x | sh', ['code comes from a pipe']],
  ['echo "', ['a quote is not closed']],
  ['BASH_ENV=x bash -c :', ['BASH_ENV decides what runs']],
  [`ls ${'x'.repeat(140_000)}`, ['the command is too long']],
  ['('.repeat(100), ['the command is too deep or too long']],
] as const)('%j is doubted', (line, doubts) => {
  expect(readShell(line).doubts).toEqual(doubts)
})

/** The names of commands that another reading of the same grammar finds. */
const others = (line: string): string[] => {
  const names: string[] = []
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name !== undefined && /^\w+$/.test(node.name.value))
      names.push(node.name.value)
    forEachChild(node, visit)
  }
  visit(oracle(line))
  return names
}

const pieces = fc.constantFrom(
  ...['alpha', 'beta 1', "'x y'", '"z $v"', '$(gamma)', '`delta`', ';', '&&', '||', '|', '\n', '( epsilon )'],
  ...[
    '{ zeta; }',
    'if a; then b; fi',
    'while c; do d; done',
    'case x in y) e;; esac',
    '<(eta)',
    '>out',
    '# note\n',
  ],
  ...[
    '$((1+2))',
    `$\{w:-$(theta)}`,
    'v=1',
    '<<E\niota $(kappa)\nE\n',
    '[[ -n x ]]',
    'f() { lambda; };',
    '&',
    '!',
  ],
)

test('no command is missed that another reading finds', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const line = parts.join(' ')
      const tree = oracle(line)
      const reading = readShell(line)
      if ((tree.errors?.length ?? 0) > 0 || reading.doubts.length > 0) return
      const found = new Set(reading.commands.map(({ words }) => text(words[0] as Word)))
      for (const name of others(line)) expect([...found], line).toContain(name)
    }),
    { numRuns: 3000, seed: 11 },
  )
})

test('no text makes it throw', () => {
  const shellish = fc.array(
    fc.constantFrom(
      ...'$ ( ) { } [ ] < > | & ; " \' ` \\ # ! = * ? ~ \n \t a gh issue close if then fi do done case in esac << <<- EOF -c bash xargs find -exec eval \0 \uE000'.split(
        ' ',
      ),
    ),
    { maxLength: 40 },
  )
  const any = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    shellish.map((all) => all.join('')),
    shellish.map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(any, (line) => {
      readShell(line)
    }),
    { numRuns: 20_000, seed: 13 },
  )
})

/** Each step is a few microseconds at most; the last one before the limit may be a large one. */
const most = 3 * limits.steps

test.each([10_000, 130_000, 1_000_000])(
  'hostile text of %i characters takes a bounded number of steps',
  (length) => {
    for (const [name, line] of Object.entries(hostile(length)))
      expect(stepsOf(line), name).toBeLessThanOrEqual(most)
  },
)

test('ten thousand characters of what people write are read whole', () => {
  for (const [name, line] of Object.entries(ordinary(10_000))) {
    expect(readShell(line).doubts, name).toEqual([])
    expect(stepsOf(line), name).toBeLessThan(0.8 * limits.steps)
  }
})

test('behind whatever is too much a command is found, or doubted', () => {
  const missed = [1_000, 10_000].flatMap((length) =>
    Object.entries(hostile(length)).filter(([name, line]) => {
      // What follows an open here-document is its text.
      if (name.includes('<<') && !name.includes('<<<') && !name.includes('(')) return false
      const { commands, doubts } = readShell(`${line}\ngh issue close 1`)
      return (
        doubts.length === 0 && !commands.some(({ words }) => words.map(text).join(' ') === 'gh issue close 1')
      )
    }),
  )
  expect(missed.map(([name, { length }]) => [name, length])).toEqual([])
})
