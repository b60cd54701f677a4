// Which root is meant. Everything that was seen comes in as facts; what to do comes out.
import type { Facts, Place, Root, State, Via, Where } from './schema.ts'

export type Choice =
  | { readonly do: 'use' | 'mark' | 'make'; readonly root: Root }
  | { readonly do: 'refuse'; readonly code: 'root_none'; readonly facts: { home: string } }
  | {
      readonly do: 'refuse'
      readonly code: 'root_missing'
      readonly facts: { variable: string; directory: string; how: string }
    }
  | {
      readonly do: 'refuse'
      readonly code: 'root_foreign' | 'root_not_directory'
      readonly facts: { directory: string; via: string }
    }
  | {
      readonly do: 'refuse'
      readonly code: 'root_untrusted' | 'root_of_another' | 'root_open'
      readonly facts: { directory: string }
    }

const isRoot = (state: State): boolean => state === 'marked' || state === 'old'
const shown: Readonly<Record<Via, string>> = {
  AGENCY_ROOT: 'named by AGENCY_ROOT',
  H2_DIR: 'named by H2_DIR',
  upwards: 'found upwards',
  home: 'the default root',
  h2: 'the old default root',
}

/** What can be used at all: not what others could have filled. */
const guarded = (place: Place, via: Via): Choice => {
  const facts = { directory: place.path }
  if (!place.mine && !place.trusted) return { do: 'refuse', code: 'root_of_another', facts }
  if (place.open) return { do: 'refuse', code: 'root_open', facts }
  return { do: place.state === 'old' ? 'mark' : 'use', root: { directory: place.path, via } }
}

const unusable = (place: Place, via: Via): Choice => ({
  do: 'refuse',
  code: place.state === 'file' ? 'root_not_directory' : 'root_foreign',
  facts: { directory: place.path, via: shown[via] },
})

const made = (place: Place, via: Via): Choice => ({ do: 'make', root: { directory: place.path, via } })

const missing: Partial<Record<State, string>> = {
  missing: 'missing',
  empty: 'empty',
  partial: 'only half made',
}

const named = (variable: 'AGENCY_ROOT' | 'H2_DIR', place: Place, make: boolean): Choice => {
  if (isRoot(place.state)) return guarded(place, variable)
  const how = missing[place.state]
  if (how === undefined) return unusable(place, variable)
  if (make) return made(place, variable)
  return { do: 'refuse', code: 'root_missing', facts: { variable, directory: place.path, how } }
}

/** Roots in the default places need no trust: only their owner could put them there. */
const found = (place: Place, { home, h2 }: Facts): Choice => {
  if (place.path === home.path) return guarded(place, 'home')
  if (place.path === h2.path) return guarded(place, 'h2')
  const choice = guarded(place, 'upwards')
  if (choice.do === 'refuse' || place.trusted) return choice
  return { do: 'refuse', code: 'root_untrusted', facts: { directory: place.path } }
}

export const choose = (facts: Facts): Choice => {
  const { home, h2, make } = facts
  if (facts.named !== undefined) return named(facts.named.variable, facts.named.place, make)
  if (facts.upwards !== undefined) return found(facts.upwards, facts)
  if (isRoot(home.state)) return guarded(home, 'home')
  if (missing[home.state] === undefined) return unusable(home, 'home')
  if (isRoot(h2.state)) return guarded(h2, 'h2')
  return make ? made(home, 'home') : { do: 'refuse', code: 'root_none', facts: { home: home.path } }
}

/** The absolute place that a value of the environment names. A shell that did not expand `~` meant the home. */
export const namedPath = (value: string, { cwd, home }: { cwd: string; home: string }): string => {
  if (value === '~' || value.startsWith('~/')) return `${home}${value.slice(1)}`
  return value.startsWith('/') ? value : `${cwd.replace(/\/$/, '')}/${value}`
}

/** What a bare `init` makes: what the environment names, else the default. */
export const initTarget = ({ env, cwd, home }: Where): string => {
  const value = env.AGENCY_ROOT || env.H2_DIR
  return value ? namedPath(value, { cwd, home }) : `${home}/.agency`
}

/** A directory and all above it, nearest first. */
export const upwards = (directory: string): readonly string[] => {
  const parts = directory.split('/').filter((part) => part !== '')
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`).concat('/')
}
