// What will become of a call, said before it is made: our layers, and behind them the CLI.
import type { Call } from '../../call/schema.ts'
import { type Native, nativeOf } from '../native/rules.ts'
import { decide } from '../rules.ts'
import type { Decision, Facts, Judged, State } from '../schema.ts'

export type Foreseen = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly decision: Decision
  /** Where no layer of ours decides. */
  readonly native?: Native
}

export const foresee = (role: Judged, state: State, call: Call, facts: Facts): Foreseen => {
  const decision = decide(role, state, call, facts)
  if (decision.verdict !== 'none') return { verdict: decision.verdict, decision }
  const native = nativeOf(role, state, call, facts)
  return { verdict: native.verdict, decision, native }
}
