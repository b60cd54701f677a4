// The rules of the tree. Each returns the sentences that a contributor reads when it is broken.
import { posix } from 'node:path'
import { edgesOf } from './imports.ts'
import type { Tree } from './tree.ts'

/** A folder's acting files import only folders before it. */
export const ladder = (
  'base config journal store client permission approval sandbox worktree keeper driver role budget session ' +
  'telemetry message review task agent pod registry director bridge hook state host cli view'
).split(' ')

const isTest = (path: string): boolean => path.endsWith('.test.ts')
const isSource = (path: string): boolean =>
  path.startsWith('src/') && !isTest(path) && !path.endsWith('.d.ts')
const folderOf = (path: string): string => path.split('/')[1] ?? ''

/** 0 = what a noun is, 1 = what is decided, 2 = what acts. */
export const floorOf = (path: string): 0 | 1 | 2 => {
  const file = posix.basename(path)
  if (file === 'schema.ts' || file === 'api.ts') return 0
  return file === 'rules.ts' ? 1 : 2
}
const floors = ['schema', 'rules', 'acting']

export const floorProblems = (tree: Tree): string[] =>
  edgesOf(tree)
    .filter(({ from, to }) => isSource(from) && floorOf(to) > floorOf(from))
    .map(({ from, to }) => `${from} (${floors[floorOf(from)]}) imports ${to} (${floors[floorOf(to)]})`)

export const ladderProblems = (tree: Tree): string[] => [
  ...[...tree.keys()]
    .filter((path) => path.startsWith('src/') && !ladder.includes(folderOf(path)))
    .map((path) => `${path} is in a folder that the ladder does not list`),
  ...edgesOf(tree)
    .filter(({ from, to }) => isSource(from) && floorOf(from) === 2 && floorOf(to) === 2)
    .filter(({ from, to }) => ladder.indexOf(folderOf(to)) > ladder.indexOf(folderOf(from)))
    .map(({ from, to }) => `${from} imports ${to}, which is higher on the ladder`),
  ...edgesOf(tree)
    .filter(({ from, to }) => isSource(from) && !to.startsWith('src/'))
    .map(({ from, to }) => `${from} imports ${to}, which is not part of the program`),
]

/** The lower floors may import across folders, so a ring is possible there and only there. */
export const ringProblems = (tree: Tree): string[] => {
  const next = new Map<string, string[]>()
  for (const { from, to } of edgesOf(tree)) {
    if (isSource(from)) next.set(from, [...(next.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const problems: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      problems.push(`a ring of imports: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`)
      return
    }
    if (done.has(path)) return
    for (const to of next.get(path) ?? []) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) walk(path, [])
  return problems
}

/** Beside the compiler without Node types: what it cannot see, because zod or the library brings it. */
export const purityProblems = (tree: Tree): string[] =>
  [...tree]
    .filter(([path]) => isSource(path) && floorOf(path) < 2)
    .flatMap(([path, text]) =>
      [
        ...text.matchAll(
          /from ['"](node:[^'"]+)['"]|\b(Date\.now|new Date|Math\.random|performance\.now|crypto\.)/g,
        ),
      ]
        .map((found) => found[1] ?? found[2])
        .map((what) => `${path} uses ${what}: pure files take it as an argument`),
    )

export const sizeProblems = (tree: Tree): string[] =>
  [...tree].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1
    const limit = isTest(path) ? 800 : 400
    return lines > limit ? [`${path} has ${lines} lines; the limit is ${limit}`] : []
  })

const banned = /(^|[-/])(utils?|helpers?|managers?|services?|common|misc)([-./]|$)/

export const nameProblems = (tree: Tree): string[] =>
  [...tree.keys()].flatMap((path) => [
    ...(banned.test(path.replace('src/director/manager', 'src/director'))
      ? [`${path}: the name says nothing of what it is`]
      : []),
    ...(/^[a-z0-9./-]+$/.test(path) ? [] : [`${path}: names are kebab-case`]),
  ])

const mayExit = [
  'src/cli/main.ts',
  'src/driver/scripted/main.ts',
  'src/hook/command/main.ts',
  'src/keeper/main.ts',
  'src/sandbox/forward/main.ts',
]

export const exitProblems = (tree: Tree): string[] =>
  [...tree]
    .filter(([path, text]) => isSource(path) && !mayExit.includes(path) && /process\.exit\(/.test(text))
    .map(([path]) => `${path} calls process.exit; only a main file may`)

/** Every code of the catalogue is raised somewhere and explained in the reference. */
export const catalogueProblems = (codes: readonly string[], tree: Tree, reference: string): string[] =>
  codes.flatMap((code) => [
    ...([...tree].some(
      ([path, text]) => isSource(path) && !path.startsWith('src/base/error/') && text.includes(`'${code}'`),
    )
      ? []
      : [`${code} is in the catalogue, but nothing raises it`]),
    ...(reference.includes(`\`${code}\``) ? [] : [`${code} is not in docs/reference/errors.md`]),
  ])

/** A skipped or focused test is a hole in the proof. */
export const skipProblems = (tree: Tree): string[] =>
  [...tree]
    .filter(([path]) => isTest(path) && path !== 'test/boundaries.test.ts')
    .flatMap(([path, text]) =>
      [...text.matchAll(/\b(?:it|test|describe)\.(skip|only|todo|skipIf|runIf|fails)\b/g)].map(
        (found) => `${path} has a test.${found[1]}`,
      ),
    )
