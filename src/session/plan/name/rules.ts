import { name as nameSchema } from '../../../base/name/schema.ts'
import type { Refusal } from '../schema.ts'

const isName = (text: string): boolean => nameSchema.safeParse(text).success

/** What a program is called, as a name: `/usr/bin/My Tool.sh` is `my-tool-sh`. */
const base = (text: string): string =>
  (text.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'agent'

/** The first of `claude-1`, `claude-2`, … that nobody has. */
export const freeName = (program: string, taken: readonly string[]): string => {
  const stem = base(program)
  let number = 1
  while (taken.includes(`${stem}-${number}`)) number += 1
  return `${stem}-${number}`
}

/** `coder-2`, or the next that nobody has; cut where it would be too long for a name. */
export const forkName = (agent: string, taken: readonly string[]): string => {
  const stem = agent.slice(0, 55).replace(/-+$/, '')
  let number = 2
  while (taken.includes(`${stem}-${number}`)) number += 1
  return `${stem}-${number}`
}

export const agentName = (
  name: string,
  taken: readonly string[],
): { readonly name: string; readonly refusals: readonly Refusal[] } => {
  if (!isName(name)) {
    const free = freeName(name, taken)
    return {
      name: free,
      refusals: [{ code: 'name_invalid', text: `"${name}" is no name; ${free} would be one` }],
    }
  }
  if (!taken.includes(name)) return { name, refusals: [] }
  const text = `an agent called "${name}" is already running; \`--name ${freeName(name, taken)}\` is free`
  return { name, refusals: [{ code: 'name_in_use', text }] }
}
