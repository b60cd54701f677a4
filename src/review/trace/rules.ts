import { activity } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import { type Trace, type TraceEvent, traceNames } from '../schema.ts'

export const traceFact = (session: string, { type, data }: Trace): Fact => activity(type, session, data)

/** undefined = no event of a trace. */
export const traceOf = ({ seq, at, kind, type, data }: Event): TraceEvent | undefined => {
  if (kind !== 'activity' || !Object.hasOwn(traceNames, type)) return undefined
  return { seq, at, type, name: traceNames[type as keyof typeof traceNames], data }
}

/** How many stay when a trace has grown too long: some room, so that it is not cut each time. */
export const kept = (most: number): number => Math.max(1, Math.floor(most * 0.75))
