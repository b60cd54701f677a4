// Programs that run the command in their words.
import { codeOf, head, type Item, item, joined, literal } from '../expand/rules.ts'
import { fed, silent } from '../interpret/rules.ts'
import { tail, valuesOf, walk } from '../option/rules.ts'
import { containerValues, launchers, wrappers } from '../program/schema.ts'
import type { Input, Sink } from '../run/schema.ts'

export const runContainer = (sink: Sink, words: readonly Item[], input: Input): void => {
  const options = { short: 'evpwuhlmcanfH', long: containerValues }
  let at = walk(words, 1, options).at
  while (/^(?:compose|container)$/.test(literal(words[at]) ?? '')) at = walk(words, at + 1, options).at
  const verb = literal(words[at])
  if (verb !== 'exec' && verb !== 'run' && verb !== 'debug') return
  const start = at + 1
  const image = walk(words, start, options).at
  const [entry] = valuesOf(words.slice(start, image), '--entrypoint')
  const inner = words.slice(image + 1)
  const cut = inner.findIndex((word) => literal(word) === '--')
  const dashes = cut < 0 ? inner : inner.slice(cut + 1)
  sink.run(entry === undefined ? dashes : [entry, ...dashes], input)
}

export const runLauncher = (sink: Sink, name: string, words: readonly Item[], input: Input): boolean => {
  const launcher = Object.hasOwn(launchers, name) ? launchers[name] : undefined
  if (launcher === undefined) return false
  const { at } = walk(words, 1, launcher)
  if (!launcher.words.split(' ').includes(literal(words[at]) ?? '')) return false
  const inner = walk(words, at + 1, { ...launcher, code: '-c --call --command' })
  for (const code of inner.codes) sink.code(code, input)
  const rest = words.slice(inner.at)
  // `nix run nixpkgs#gh -- words`
  const [, packaged] = /#([\w-]+)$/.exec(literal(rest[0]) ?? '') ?? []
  if (packaged !== undefined)
    sink.run([item(packaged), ...rest.slice(literal(rest[1]) === '--' ? 2 : 1)], input)
  // `direnv exec DIR cmd`, `lxc exec BOX -- cmd`: what comes first may be a place.
  const dashes = rest.findIndex((word) => literal(word) === '--')
  sink.run(dashes < 0 ? rest : rest.slice(dashes + 1), input, true)
  return true
}

/** `flock FILE -c CODE`, `su USER -c CODE`: these take options after their operands. */
const lateOptions = (
  name: string,
  words: readonly Item[],
  at: number,
  seen: readonly string[],
): readonly Item[] => {
  if (name === 'flock' && head(words[at + 1]).startsWith('-')) return words.slice(at + 1, at + 3)
  const user = seen.some((option) => /^(?:-u|--user)/.test(option))
  return name === 'su' || name === 'script' || (name === 'runuser' && !user) ? words.slice(at) : []
}

export const runWrapper = (sink: Sink, name: string, words: readonly Item[], input: Input): boolean => {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper === undefined) return false
  const found = walk(words, 1, wrapper)
  if (wrapper.tells !== undefined && found.seen.some((option) => wrapper.tells?.test(option))) return true
  for (const code of found.codes) sink.code(code, input)
  for (const word of found.assigned) sink.assign(word)
  let at = found.at + (found.codes.length > 0 && name === 'flock' ? 0 : (wrapper.operands ?? 0))
  if (found.at < words.length && literal(words[at]) === '--') at++
  const later = valuesOf(lateOptions(name, words, found.at, found.seen), wrapper.code ?? '')
  for (const code of later) sink.code(code, input)
  if (later.length > 0) return true
  const inner = words.slice(at)
  if (name === 'su' || name === 'script') {
    if (inner.length <= 1 && input.feed !== undefined)
      fed(sink, input, (code) => sink.code(code, silent), true)
    return true
  }
  if (wrapper.joined && !found.seen.some((option) => option === '-x' || option === '--exec')) {
    if (inner.length > 0) sink.code(joined(inner), input)
  } else sink.run(inner, input)
  return true
}

/** `env -S 'cmd words'`: one string that is cut into a command. */
export const runSplit = (sink: Sink, words: readonly Item[], input: Input): boolean => {
  const at = words.findIndex(
    (word, index) => index > 0 && /^(?:-[a-zA-Z0]*S|--split-string)/.test(head(word)),
  )
  const before = walk(words, 1, wrappers.env ?? {}).at
  if (at < 0 || at > before) return false
  const word = words[at] as Item
  const text = head(word)
  const from = text.startsWith('--') ? text.indexOf('=') + 1 || codeOf(word).length : text.indexOf('S') + 1
  const attached = codeOf(word).length > from
  const value = attached ? tail(word, from) : words[at + 1]
  const rest = words.slice(at + (attached ? 1 : 2))
  if (value !== undefined) sink.code(joined([item('env '), value, ...rest]), input)
  return true
}
