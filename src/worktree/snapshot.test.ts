// Trees of an agent that wants to be seen as something else, on real git.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changesIn, filesIn, readChanges } from './changes.ts'
import { clearSnapshots, ignoredIn, removeSnapshots, snapshot } from './snapshot.ts'
import { firstSnapshot, vaultOf } from './vault.ts'

const stage = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agency-snapshot-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const [root, tree] = [join(folder, 'root'), join(folder, 'tree')]
  for (const path of [root, tree]) mkdirSync(path)
  const kept = { root, session: 's-1' }
  const write = (name: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(tree, name)), { recursive: true })
    writeFileSync(join(tree, name), text)
  }
  const run = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: tree,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const snap = () => snapshot({ ...kept, tree })
  const since = async (from: string) => (await readChanges(kept, from, await snap())).map(({ path }) => path)
  return { folder, root, tree, kept, write, run, snap, since, at: (name: string) => join(tree, name) }
}

test('the same files are the same hash, whatever lies in .git, in another vault too', async () => {
  const { write, run, snap, kept, tree, root } = stage()
  write('a/b.txt', 'one\n')
  write('c', 'two\n')
  const before = await snap()
  run('init', '-q')
  run('add', '-A')
  run('commit', '-qm', 'x')
  expect(await snap()).toBe(before)
  expect(await snapshot({ ...kept, session: 'other', tree })).toBe(before)
  expect(await snapshot({ root, session: '../../x y', tree })).toBe(before)
  expect(readdirSync(join(root, 'snapshots')).sort()).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    'other',
    's-1',
  ])
  expect(await filesIn(kept, before)).toEqual(['a/b.txt', 'c'])
})

type At = (name: string) => string
const put = (file: string | Buffer, text = ''): void => writeFileSync(file, text)
const edits: readonly [string, readonly ((at: At) => void)[], readonly string[]][] = [
  ['a word', [(at) => put(at('a'), 'onf\n')], ['a']],
  ['a mode', [(at) => chmodSync(at('a'), 0o755)], ['a']],
  ['a file that goes', [(at) => rmSync(at('a'))], ['a']],
  ['a file that comes', [(at) => put(at('n'))], ['n']],
  ['a line end', [(at) => put(at('a'), 'one\r\n')], ['a']],
  [
    'a file that becomes a link',
    [(at) => rmSync(at('a')), (at) => symlinkSync('/etc/passwd', at('a'))],
    ['a'],
  ],
  [
    'a file that becomes a directory',
    [(at) => rmSync(at('a')), (at) => mkdirSync(at('a')), (at) => put(at('a/x'))],
    ['a', 'a/x'],
  ],
  [
    'a directory that becomes a file',
    [(at) => rmSync(at('d'), { recursive: true }), (at) => put(at('d'))],
    ['d', 'd/x', 'd/y'],
  ],
  [
    'a directory that becomes a link to the same files',
    [(at) => renameSync(at('d'), at('../d')), (at) => symlinkSync('../d', at('d'))],
    ['d', 'd/x', 'd/y'],
  ],
  ['a name that is no text', [(at) => put(Buffer.from(at('\xff\xfe'), 'latin1'))], ['\ufffd\ufffd']],
  ['a name of two lines', [(at) => put(at('two\nlines'))], ['two\nlines']],
  ['a short name of .git', [(at) => mkdirSync(at('git~1')), (at) => put(at('git~1/x'))], ['git~1/x']],
  ['a hard link', [(at) => linkSync(at('a'), at('b'))], ['b']],
  ['a time that is set back', [(at) => put(at('a'), 'two\n'), (at) => utimesSync(at('a'), 1, 1)], ['a']],
]
test.each(edits)('%s is another hash', async (_, steps, paths) => {
  const { write, snap, since, at } = stage()
  write('a', 'one\n')
  write('d/x', 'x\n')
  write('d/y', 'y\n')
  utimesSync(at('a'), 1, 1)
  const before = await snap()
  expect(await snap()).toBe(before)
  for (const edit of steps) edit(at)
  expect([...(await since(before))].sort()).toEqual([...paths].sort())
  expect(await snap()).not.toBe(before)
})

/** Everything by which git could be made to run a program, in the tree and in its repository. */
const arm = ({ write, run, tree, folder }: ReturnType<typeof stage>, nested: string): string => {
  const ran = join(folder, 'ran')
  const payload = join(folder, 'payload')
  writeFileSync(payload, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 })
  for (const place of ['', nested]) {
    mkdirSync(join(tree, place), { recursive: true })
    run('init', '-q', join(tree, place))
    const config = (key: string, value: string): string => run('-C', join(tree, place), 'config', key, value)
    config('core.fsmonitor', payload)
    config('filter.evil.clean', payload)
    config('filter.evil.process', payload)
    config('filter.evil.required', 'true')
    config('diff.evil.textconv', payload)
    config('diff.evil.command', payload)
    config('diff.external', payload)
    config('core.hooksPath', folder)
    config('core.sshCommand', payload)
    write(join(place, '.gitattributes'), '* filter=evil diff=evil\n')
    for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman'])
      writeFileSync(join(tree, place, '.git/hooks', hook), `#!/bin/sh\necho hook >> ${ran}\n`, {
        mode: 0o755,
      })
  }
  return ran
}

test('no hook, filter, monitor or textconv of a tree runs, nor of a repository inside it', async () => {
  const at = stage()
  const ran = arm(at, 'inner')
  at.write('a', 'one\n')
  at.write('inner/b', 'one\n')
  const first = await at.snap()
  at.write('a', 'two\n')
  at.write('inner/b', 'two\n')
  const second = await at.snap()
  expect(await changesIn(at.kept, first, second)).toMatch(/\+two[\s\S]*\+two/)
  await ignoredIn({ ...at.kept, tree: at.tree })
  expect(existsSync(ran)).toBe(false)
  // The trap works: git itself walks into it.
  at.run('-c', 'core.hooksPath=/dev/null', 'status')
  expect(existsSync(ran)).toBe(true)
})

test('a repository inside is files like others, committed or not', async () => {
  const { write, run, snap, since, kept, at } = stage()
  write('a', '')
  write('inner/deeper/x', 'one\n')
  write('inner/y', 'one\n')
  for (const place of ['inner', 'inner/deeper']) {
    run('init', '-q', at(place))
    run('-C', at(place), 'commit', '-q', '--allow-empty', '-m', 'x')
  }
  mkdirSync(at('empty'))
  run('init', '-q', at('empty'))
  const before = await snap()
  expect(await filesIn(kept, before)).toEqual(['a', 'inner/deeper/x', 'inner/y'])
  run('-C', at('inner'), 'commit', '-q', '--allow-empty', '-m', 'y')
  expect(await snap()).toBe(before)
  write('inner/deeper/x', 'two\n')
  write('inner/z', '')
  expect(await since(before)).toEqual(['inner/deeper/x', 'inner/z'])
  // One that was a directory before.
  write('plain/x', '')
  const plain = await snap()
  run('init', '-q', at('plain'))
  write('plain/y', '')
  expect(await since(plain)).toEqual(['plain/y'])
})

test('no attribute keeps text out of sight', async () => {
  const { write, snap, kept } = stage()
  write('a.js', 'safe()\n')
  const before = await snap()
  write(
    '.gitattributes',
    '*.js ident -diff text eol=lf working-tree-encoding=UTF-16\n[attr]hide binary\n*.ts hide\n',
  )
  write('a.js', '/*$Id: */ evil() /* $*/\n')
  write('b.ts', 'worse()\r\n')
  const text = await changesIn(kept, before, await snap())
  expect(text).toContain('+/*$Id: */ evil() /* $*/')
  expect(text).toContain('+worse()\r\n')
})

test('many files are one hash with few, and are shown as they are', async () => {
  const { write, snap, kept, tree } = stage()
  for (let count = 0; count < 300; count++) write(`d/${count}`, `${count}\n`)
  const all = await snap()
  expect(
    readdirSync(join(vaultOf(kept), 'objects/pack')).filter((name) => name.endsWith('.pack')),
  ).toHaveLength(1)
  const other = { ...kept, session: 'one-by-one' }
  rmSync(join(tree, 'd'), { recursive: true })
  for (let count = 0; count < 300; count++) {
    write(`d/${count}`, `${count}\n`)
    if (count % 150 === 149) await snapshot({ ...other, tree })
  }
  expect(await snapshot({ ...other, tree })).toBe(all)
  expect(await changesIn(kept, undefined, all)).toContain('+299\n')
})

test('what is ignored is in no snapshot, but is named; what was there before stays in it', async () => {
  const { write, run, snap, since, kept, tree } = stage()
  run('init', '-q')
  write('.gitignore', 'out/\n*.log\n')
  write('out/x', '')
  write('a.log', '')
  write('b', 'one\n')
  const before = await snap()
  expect(await filesIn(kept, before)).toEqual(['.gitignore', 'b'])
  expect(await ignoredIn({ ...kept, tree })).toEqual(['a.log', 'out/'])
  // An agent that wants its work out of sight: its file is named, and what was known is still seen.
  write('hidden/.gitignore', '*\n')
  write('hidden/evil.js', '')
  appendFileSync(join(tree, '.git/info/exclude'), 'b\nc\n')
  write('b', 'two\n')
  write('c', '')
  expect(await since(before)).toEqual(['b'])
  expect(await ignoredIn({ ...kept, tree })).toEqual(['a.log', 'c', 'hidden/', 'out/'])
})

test.each(['.agency', 'odd [name] *x', '.'])(
  'a root in the tree at %j: what it keeps for itself is in none',
  async (name) => {
    const { tree, write } = stage()
    const root = join(tree, name)
    const own = [
      'token',
      '.env',
      'agency.db',
      'agency.db-wal',
      'credentials/k',
      'sessions/a/x',
      'agents/a/agent.log',
    ]
    const theirs = ['roles/r.yaml', 'config.yaml', 'agents/a/config.yaml', 'pods/roles/p.yaml']
    for (const file of [...own, ...theirs]) write(join(name, file), 'x\n')
    write('deep/token', 'x\n')
    const kept = { root, session: 's' }
    const before = await snapshot({ ...kept, tree })
    expect(await filesIn(kept, before)).toEqual(
      ['deep/token', ...theirs.map((file) => join(name, file))].sort(),
    )
    expect(await snapshot({ ...kept, tree })).toBe(before)
  },
)

test('what walls put into a tree for a while is as good as not there, unless it holds something', async () => {
  const { write, snap, since, at } = stage()
  write('a', '')
  const before = await snap()
  for (const name of ['.mcp.json', '.envrc']) write(name, '')
  mkdirSync(at('.claude'))
  expect(await snap()).toBe(before)
  write('.mcp.json', '{}')
  expect(await since(before)).toEqual(['.mcp.json'])
  const full = await snap()
  write('.mcp.json', '')
  expect(await since(full)).toEqual(['.mcp.json'])
  expect(await snap()).toBe(before)
})

test('another content under the hash of a file is not shown', async () => {
  const { write, run, snap, kept, tree } = stage()
  run('init', '-q')
  const before = await snap()
  write('a', 'evil\n')
  const hash = run('hash-object', '-w', 'a').trim()
  const object = join(tree, '.git/objects', hash.slice(0, 2), hash.slice(2))
  writeFileSync(join(tree, 'b'), 'good\n')
  const other = run('hash-object', '-w', 'b').trim()
  rmSync(join(tree, 'b'))
  rmSync(object)
  renameSync(join(tree, '.git/objects', other.slice(0, 2), other.slice(2)), object)
  expect(run('cat-file', '-p', hash)).toBe('good\n')
  expect(await changesIn(kept, before, await snap())).toContain('+evil')
})

test('too large, too slow, not there: refused, and nothing is left behind', async () => {
  const { write, tree, kept, at } = stage()
  write('big', '')
  truncateSync(at('big'), 100_000)
  const refusal = (why: string) => ({ code: 'worktree_snapshot', details: expect.objectContaining({ why }) })
  await expect(snapshot({ ...kept, tree }, { bytes: 99_999 })).rejects.toMatchObject(
    refusal('100000 bytes are new or changed, and at most 99999 are looked at'),
  )
  await expect(snapshot({ ...kept, tree }, { seconds: 0.001 })).rejects.toMatchObject({
    code: 'worktree_snapshot',
  })
  await expect(snapshot({ ...kept, tree: `${tree}/none` })).rejects.toMatchObject(refusal('it is not there'))
  expect(readdirSync(vaultOf(kept)).filter((name) => name.startsWith('index'))).toEqual([])
  await snapshot({ ...kept, tree })
  await removeSnapshots(kept)
  expect(existsSync(vaultOf(kept))).toBe(false)
})

test('a name that git leaves out in silence is refused', async () => {
  const { write, snap } = stage()
  write('.GIT/hooks/x', '')
  await expect(snap()).rejects.toThrow('git does not take .GIT/hooks/x')
})

test('what nobody has looked at for long is removed', async () => {
  const { root, tree, kept } = stage()
  await snapshot({ ...kept, tree })
  await snapshot({ ...kept, session: 'old', tree })
  mkdirSync(join(root, 'snapshots/half.0123'))
  for (const name of ['old', 'half.0123']) utimesSync(join(root, 'snapshots', name), 1, 1)
  await clearSnapshots(root, Date.now() - 60_000)
  expect(readdirSync(join(root, 'snapshots'))).toEqual(['s-1'])
  await clearSnapshots(join(root, 'none'), Date.now())
})

test('what is known from before the work', async () => {
  const { write, snap, kept } = stage()
  expect(await firstSnapshot(kept)).toBe(undefined)
  write('a', '')
  const first = await snap()
  expect(await firstSnapshot(kept)).toBe(undefined)
  write('b', '')
  await snap()
  expect(await firstSnapshot(kept)).toBe(first)
})

test('many at once give one hash, also over what a killed one has left', async () => {
  const { write, snap, kept } = stage()
  for (let count = 0; count < 50; count++) write(`f${count}`, `${count}\n`)
  const before = await snap()
  writeFileSync(join(vaultOf(kept), 'index.lock'), '')
  write('f1', 'other\n')
  const all = await Promise.all(Array.from({ length: 6 }, snap))
  expect(new Set(all).size).toBe(1)
  expect(all[0]).not.toBe(before)
})

test('what changed is told file by file', async () => {
  const { write, snap, kept, at } = stage()
  write('changed', 'one\n')
  write('gone', 'bye\n')
  write('old', 'the same\n')
  write('kind', 'text\n')
  const before = await snap()
  write('changed', 'two\n')
  rmSync(at('gone'))
  renameSync(at('old'), at('new'))
  rmSync(at('kind'))
  symlinkSync('changed', at('kind'))
  write('bytes', Buffer.from([0, 1, 2]))
  write('large', `${'line\n'.repeat(300_000)}`)
  write('empty', '')
  const after = await snap()
  const changes = await readChanges(kept, before, after)
  expect(changes.map(({ diff, ...rest }) => ({ ...rest, shown: diff !== undefined }))).toEqual([
    { path: 'bytes', how: 'added', bytes: 3, shown: false },
    { path: 'changed', how: 'changed', bytes: 4, shown: true },
    { path: 'empty', how: 'added', bytes: 0, shown: true },
    { path: 'gone', how: 'removed', bytes: 0, shown: true },
    { path: 'kind', how: 'other kind', bytes: 7, shown: true },
    { path: 'large', how: 'added', bytes: 1_500_000, shown: false },
    { path: 'new', from: 'old', how: 'moved', bytes: 9, shown: true },
  ])
  expect(changes.find(({ path }) => path === 'changed')?.diff).toContain('-one\n+two\n')
  expect(changes.find(({ path }) => path === 'kind')?.diff).toContain('+changed')
  // Nothing is known of an older one: all of it is new.
  expect((await readChanges(kept, '0'.repeat(40), after)).map(({ how }) => how)).toEqual(
    Array.from({ length: 6 }, () => 'added'),
  )
  await expect(readChanges(kept, before, 'f'.repeat(40))).rejects.toMatchObject({ code: 'worktree_snapshot' })
  await expect(readChanges(kept, before, '--help')).rejects.toMatchObject({ code: 'worktree_snapshot' })
})
