// Patterns of files, as Claude Code's rules mean them: `//abs`, `~/home`, `/tree`, everything else below the directory.
import { remembered } from '../../../base/memo/rules.ts'
import type { Place } from '../../call/schema.ts'

/** Absolute, without `.`, `..` and doubled slashes. */
export const resolvePath = (path: string, { cwd, home }: Place): string => {
  const full = /^~(?:\/|$)/.test(path) ? home + path.slice(1) : path.startsWith('/') ? path : `${cwd}/${path}`
  const parts: string[] = []
  for (const part of full.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

const source = (glob: string): string =>
  glob.replace(/\/\*\*\/|\*\*\/?|\*|\?|[\\^$.+()[\]{}|]/g, (one) => {
    if (one === '/**/') return '/(?:.*/)?'
    if (one === '**/') return '(?:.*/)?'
    if (one === '**') return '.*'
    if (one === '*') return '[^/]*'
    return one === '?' ? '[^/]' : `\\${one}`
  })

/** A name without a slash fits at any depth, and what fits a directory fits all in it: as in .gitignore. */
const anchored = (pattern: string, place: Place): string => {
  if (pattern.startsWith('//')) return source(resolvePath(pattern.slice(1), place))
  if (pattern.startsWith('~/')) return source(resolvePath(pattern, place))
  if (pattern.startsWith('/')) return source(resolvePath(place.tree + pattern, place))
  const bare = pattern.replace(/^\.\//, '').replace(/\/$/, '')
  const base = source(resolvePath('.', place)).replace(/\/$/, '')
  if (bare.startsWith('../')) return source(resolvePath(bare, place))
  return bare.includes('/') || pattern.startsWith('./')
    ? `${base}/${source(bare)}`
    : `${base}/(?:.*/)?${source(bare)}`
}

type Fitting = { readonly same: RegExp; readonly alike: RegExp }

/** One for each pattern and place: a role asks about the same ones with every call. */
const compiled = remembered((named): Fitting => {
  const [pattern, cwd, tree, home] = JSON.parse(named) as [string, string, string, string]
  const source = `^${anchored(pattern, { cwd, tree, home })}(?:/.*)?$`
  return { same: new RegExp(source, 's'), alike: new RegExp(source, 'si') }
})

/** `almost`: the same but for capital letters, which is the same file on many disks. */
export const fitsPath = (pattern: string, path: string, place: Place): 'yes' | 'no' | 'almost' => {
  const { same, alike } = compiled(JSON.stringify([pattern, place.cwd, place.tree, place.home]))
  const full = resolvePath(path, place)
  if (same.test(full)) return 'yes'
  return alike.test(full) ? 'almost' : 'no'
}
