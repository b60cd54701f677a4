// What the real CLI printed, wrote and posted against a scripted Messages API on loopback; paths replaced.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'

const folder = new URL('./claude-2.1.325/', import.meta.url)

export const lines = (file: string): readonly string[] =>
  readFileSync(new URL(file, folder), 'utf8').split('\n').filter((line) => line !== '')

export const values = (file: string): readonly unknown[] => lines(file).map((line) => JSON.parse(line))

export const ends = JSON.parse(readFileSync(new URL('stream/ends.json', folder), 'utf8')) as Record<
  string,
  { exit: number | null; signal: string | null; stderr: string }
>

/** Recorded values with one field, at any depth, replaced by anything: what a next version may send. */
export const mangled = (recorded: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...recorded), fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }), fc.jsonValue()).map(
    ([value, path, replacement]) => {
      const copy = structuredClone(value)
      let at: unknown = copy
      for (const [depth, step] of path.entries()) {
        if (typeof at !== 'object' || at === null) break
        const table = at as Record<string, unknown>
        const names = Object.keys(table)
        const name = names[step % Math.max(1, names.length)]
        if (name === undefined) break
        if (depth === path.length - 1 || typeof table[name] !== 'object') {
          table[name] = replacement
          break
        }
        at = table[name]
      }
      return copy
    },
  )
