// Patterns of files, as Claude Code's rules mean them: `//abs`, `~/home`, `/tree`, everything else below the directory.
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

/** `almost`: the same but for capital letters, which is the same file on many disks. */
export const fitsPath = (pattern: string, path: string, place: Place): 'yes' | 'no' | 'almost' => {
  const regex = `^${anchored(pattern, place)}(?:/.*)?$`
  const full = resolvePath(path, place)
  if (new RegExp(regex, 's').test(full)) return 'yes'
  return new RegExp(regex, 'si').test(full) ? 'almost' : 'no'
}
