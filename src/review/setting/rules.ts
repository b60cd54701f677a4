import type { GatePattern, ReviewFile } from '../../role/review/schema.ts'
import type { Setting } from '../schema.ts'

/** Nobody asked for reviews: nothing is looked at, nothing is kept. */
export const off: Setting = {
  mode: 'never',
  reviewer: { kind: 'process', deadline_seconds: 600 },
  gates: { tools: [], skip: [], approval_scope: 'prompt' },
  circuit_breaker: { max_blocks: 3, cooldown_seconds: 300 },
  templates: { active: 'random', weights: {} },
  trace: { max_events: 500 },
  bind_tree: false,
}

export const isOff = ({ mode, gates }: Setting): boolean => mode === 'never' && gates.tools.length === 0

export const patternOf = (written: GatePattern): string =>
  typeof written === 'string' ? written : written.pattern

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** What is written twice: the second wins, key by key. */
const joined = <T extends object>(...all: readonly (T | undefined)[]): Defined<T> =>
  Object.fromEntries(
    all.flatMap((each) => Object.entries(each ?? {})).filter(([, value]) => value !== undefined),
  ) as Defined<T>

const reviewerOf = (written: ReviewFile['reviewer']) =>
  typeof written === 'string' ? { kind: written } : (written ?? {})

/** A role wins key by key, but it takes no gate away. `review:` in either turns reviews on. */
export const settingOf = (root: ReviewFile | undefined, role: ReviewFile | undefined): Setting => {
  if (root === undefined && role === undefined) return off
  const tools = [...(root?.gates?.tools ?? []), ...(role?.gates?.tools ?? [])].map(patternOf)
  const gates = joined(root?.gates, role?.gates)
  return {
    mode: role?.mode ?? root?.mode ?? 'prompt',
    reviewer: { ...off.reviewer, ...joined(reviewerOf(root?.reviewer), reviewerOf(role?.reviewer)) },
    gates: { ...off.gates, ...gates, tools: [...new Set(tools)] },
    circuit_breaker: { ...off.circuit_breaker, ...joined(root?.circuit_breaker, role?.circuit_breaker) },
    templates: { ...off.templates, ...joined(root?.templates, role?.templates) },
    trace: { ...off.trace, ...joined(root?.trace, role?.trace) },
    bind_tree: role?.bind_tree ?? root?.bind_tree ?? false,
  } as Setting
}
