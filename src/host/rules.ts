// What the journal says of hosts, and what a host writes into it.
//
//   started → starting → idle → draining → stopped
//                 └────────┴───────┴─────→ lost      (written by the next host, which holds the lock)
import type { Event, Fact } from '../journal/schema.ts'
import { isOver } from '../registry/rules.ts'
import type { ComponentRecord } from '../registry/schema.ts'
import type { HostRecord } from './schema.ts'

type Started = { pid: number; started: string; version: string }

const ended = (was: HostRecord, how: 'stopped' | 'lost', at: string): HostRecord => ({
  ...was,
  state: how,
  since: at,
  last: { pid: was.pid, how, at },
})

export const reduceHost = (was: HostRecord | undefined, event: Event): HostRecord | undefined => {
  switch (event.type) {
    case 'host.started': {
      const { pid, started, version } = event.data as Started
      return {
        ...(was?.last && { last: was.last }),
        ...(was?.paused && { paused: was.paused }),
        state: 'starting',
        pid,
        started,
        version,
        since: event.at,
      }
    }
    case 'host.idle':
      return was && { ...was, state: 'idle', since: event.at }
    case 'host.draining':
      return was && { ...was, state: 'draining', since: event.at }
    case 'host.stopped':
      return was && ended(was, 'stopped', event.at)
    case 'host.lost':
      return was && ended(was, 'lost', event.at)
    case 'host.paused': {
      if (was === undefined) return was
      const { paused: _paused, ...rest } = was
      return { ...rest, ...(event.data.paused === true && { paused: was.paused ?? event.at }) }
    }
    default:
      // Written by a newer version: what this one does not know changes nothing.
      return was
  }
}

export const hostFact = (machine: string, type: string, data: Fact['data'] = {}): Fact => ({
  kind: 'state',
  type: `host.${type}`,
  subject: `host:${machine}`,
  data,
})

export const componentFact = (id: string, type: string, data: Fact['data'] = {}): Fact => ({
  kind: 'state',
  type: `component.${type}`,
  subject: `component:${id}`,
  data,
})

/**
 * What a starting host writes first. Holding the lock, it knows that no other host of this machine lives:
 * one that never said it stopped was lost, and what it ran as a component was lost with it.
 */
export const factsOfStart = (
  machine: string,
  self: Started,
  was: HostRecord | undefined,
  components: readonly (readonly [id: string, record: ComponentRecord])[],
): readonly Fact[] => {
  const died = was !== undefined && was.state !== 'stopped' && was.state !== 'lost'
  const lost = components.filter(([, record]) => !isOver(record.state))
  return [
    ...(died ? [hostFact(machine, 'lost')] : []),
    ...lost.map(([id]) => componentFact(id, 'lost')),
    hostFact(machine, 'started', self),
  ]
}

/** The name of this machine as a subject: a host name may hold what a subject must not. */
export const machineOf = (hostname: string): string =>
  hostname.replace(/[^\w.-]/g, '-').slice(0, 100) || 'local'
