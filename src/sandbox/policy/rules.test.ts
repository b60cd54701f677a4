import { expect, test } from 'vitest'
import { frozenNames, networkOf, type Places, placeTrouble, wallsOf } from './rules.ts'

const tree = { path: '/home/me/project', access: 'write', kind: 'theirs' } as const
const places: Places = {
  root: '/home/me/.agency',
  home: '/home/me',
  tree,
  writable: ['/home/me/.agency/sessions/coder/.claude'],
  readable: [{ from: '/home/me/dotfiles/gitconfig', to: '/home/me/.gitconfig', access: 'read' }],
  more: { read: ['/data'], write: ['/cache'] },
  frozen: [{ from: '/home/me/project/.git', to: '/home/me/project/.git', access: 'read' }],
}

test('walls are what the role says and the session needs, and nothing else', () => {
  expect(
    wallsOf({ settings: { network: 'proxy', max_processes: 64 }, places, terminal: true, doors: [] }),
  ).toEqual({
    mounts: [
      { from: '/data', to: '/data', access: 'read' },
      { from: '/cache', to: '/cache', access: 'write' },
      { from: '/home/me/dotfiles/gitconfig', to: '/home/me/.gitconfig', access: 'read' },
      { from: tree.path, to: tree.path, access: 'write' },
      { from: `${tree.path}/.git`, to: `${tree.path}/.git`, access: 'read' },
      {
        from: '/home/me/.agency/sessions/coder/.claude',
        to: '/home/me/.agency/sessions/coder/.claude',
        access: 'write',
      },
    ],
    hidden: [],
    home: '/home/me',
    cwd: tree.path,
    network: 'proxy',
    terminal: true,
    doors: [],
    limits: { tmpBytes: 1_073_741_824, homeBytes: 268_435_456, memoryMb: undefined, processes: 64 },
  })
})

const walls = (changes: Partial<Places>) =>
  wallsOf({ settings: {}, places: { ...places, ...changes }, terminal: false, doors: [] })

test("agency's root is hidden where a path of the role would show it", () => {
  expect(walls({ more: { read: ['/home/me'], write: [] } }).hidden).toEqual([places.root])
  expect(walls({ more: { read: [places.root], write: [] } }).hidden).toEqual([places.root])
})

test('what is frozen stays so, also when the role would write it', () => {
  const git = `${tree.path}/.git`
  const { mounts } = walls({ more: { read: [], write: [git] } })
  expect(mounts.filter(({ to }) => to === git)).toEqual([{ from: git, to: git, access: 'read' }])
})

test('the .git of a clone cannot be moved out of the way: it is a mount itself', () => {
  const { mounts } = walls({ tree: { ...tree, kind: 'clone' } })
  expect(mounts).toContainEqual({ from: tree.path, to: tree.path, access: 'write' })
  const frozen = walls({ tree: { ...tree, kind: 'clone' }, frozen: [] }).mounts
  expect(frozen).toContainEqual({ from: `${tree.path}/.git`, to: `${tree.path}/.git`, access: 'write' })
})

test.each([
  [{}, 'full'],
  [{ allow_network: true }, 'full'],
  [{ allow_network: false }, 'none'],
  [{ network: 'proxy' }, 'proxy'],
] as const)('network of %j is %s', (settings, expected) => expect(networkOf(settings)).toBe(expected))

const obeyed = ['.claude', '.vscode', '.idea', '.mcp.json', '.envrc']
const ofGit = [
  '.git/hooks',
  '.git/info',
  '.git/modules',
  '.git/config',
  '.git/config.worktree',
  '.git/commondir',
]
test.each([
  ['a tree of the user', { kind: 'theirs', access: 'write' }, ['.git', ...obeyed]],
  ['a clone', { kind: 'clone', access: 'write' }, [...ofGit, ...obeyed]],
  ['a directory of its own', { kind: 'work', access: 'write' }, []],
  ['a tree that cannot be written anyway', { kind: 'theirs', access: 'read' }, []],
] as const)('frozen in %s', (_, changes, expected) =>
  expect(frozenNames({ ...tree, ...changes }).map(({ name }) => name)).toEqual(expected),
)

test.each([
  ['/home/me', 'theirs', '/home/me holds your whole home directory'],
  ['/', 'theirs', '/ holds your whole home directory'],
  ['/home', 'theirs', '/home holds your whole home directory'],
  ['/home/me/.agency', 'theirs', "/home/me/.agency is agency's own root"],
  ['/home/me/.agency/sessions', 'theirs', "/home/me/.agency/sessions lies in agency's own root"],
  ['/home/me/.agency/worktrees/coder', 'clone', undefined],
  ['/home/me/.agency/work/1', 'work', undefined],
  ['/home/me/.agency-2', 'theirs', undefined],
  ['/home/me/project', 'theirs', undefined],
] as const)('%s as a work tree', (path, kind, cause) =>
  expect(placeTrouble({ ...places, tree: { path, access: 'write', kind } })?.cause).toBe(cause),
)
