// An agent whose tools run without our hook having been asked got away from supervision.
import type { Ended } from '../../schema.ts'

/**
 * The calls that ran although no PreToolUse was seen for them. A hook is answered before its call starts, so
 * whoever shows the end of a call is later than the hook. What never started (a tool that does not exist,
 * input the CLI turned down, calls cancelled by Esc) needs no hook. `asked` must reach back to the launch.
 */
export const unasked = (asked: ReadonlySet<string>, ended: readonly Ended[]): readonly string[] => [
  ...new Set(ended.filter((one) => one.ran && !asked.has(one.call)).map((one) => one.call)),
]
