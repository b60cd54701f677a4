// Where the directories of sessions may be made. Each has the name of a session, and what a clean-up removes is
// found by such names: so the place must hold nothing but sessions.

/** Of a root; `work/` is what they would get without a word. */
const rootsOwn =
  /^(roles|pods|agents|directors|sessions|worktrees|projects|sockets|credentials|view|claude-config|history|reviews|schemas|snapshots)$/

/** Of the system, at any depth. */
const systems = /^\/(bin|boot|dev|etc|lib[^/]*|proc|run|sbin|sys|usr)(\/|$)/

/** Shared with everybody, or somebody's home, or the top of something larger: but a directory below may be taken. */
const shared = /^(\/[^/]*|\/var\/[^/]+|\/private\/[^/]+|\/private\/var\/[^/]+|\/(home|Users)\/[^/]+|~)$/

const plain = (text: string): string =>
  text
    .trim()
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/^(\.\/)+/, '')
    .replace(/(.)\/\.?$/, '$1')

/** Why sessions cannot lie there; undefined = they can. A relative place is below the root. */
export const unfitPlace = (text: string): string | undefined => {
  const place = plain(text)
  if (place === '' || place === '.') return 'must be a directory for sessions alone, such as work/mine'
  if (/(^|\/)\.\.(\/|$)/.test(place)) return 'must be a path without ".."'
  if (systems.test(place)) return `cannot be ${place}: that belongs to the system`
  if (shared.test(place)) return `cannot be ${place}, which holds other things: name a directory below it`
  const [first = ''] = place.split('/')
  if (rootsOwn.test(first)) return `cannot be ${place}: the root keeps something else in ${first}/`
  return undefined
}
