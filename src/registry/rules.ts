// What the journal says of a component. It keeps the state that was last reported, not how it came about.
import type { Event } from '../journal/schema.ts'
import type { ComponentRecord, ComponentState, ComponentType, OpenStatus } from './schema.ts'

/** What a caller without the token may know. */
export const openStatusOf = <S extends OpenStatus>({ type, interfaces, version, state }: S): OpenStatus => ({
  type,
  interfaces,
  version,
  state,
})

/** States in which nothing of the component is left to end. */
export const isOver = (state: ComponentState): boolean => state === 'exited' || state === 'lost'

const change = (was: ComponentRecord | undefined, { data, at }: Event): ComponentRecord | undefined => {
  const { state, message } = data as { state: ComponentState; message?: string }
  return was && { type: was.type, state, ...(message !== undefined && { message }), since: at }
}

export const reduceComponent = (
  was: ComponentRecord | undefined,
  event: Event,
): ComponentRecord | undefined => {
  switch (event.type) {
    case 'component.started':
      return { type: (event.data as { type: ComponentType }).type, state: 'starting', since: event.at }
    case 'component.changed':
      return change(was, event)
    case 'component.stopped':
      return was && { type: was.type, state: 'exited', since: event.at }
    case 'component.lost':
      return was && { type: was.type, state: 'lost', since: event.at }
    default:
      // Written by a newer version: what this one does not know changes nothing.
      return was
  }
}
