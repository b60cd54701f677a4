// What a host stands on: the lock, the store, the log, the token. Taken in this order, given back in reverse.
import { hostname } from 'node:os'
import { fail } from '../base/error/fail.ts'
import { type Log, openLog } from '../base/log/open.ts'
import { type Identity, identify } from '../base/process/identity.ts'
import type { Undo } from '../base/undo.ts'
import { version } from '../base/version.ts'
import { readHostFile } from '../client/address.ts'
import { type Layout, layout as layoutOf } from '../config/layout/rules.ts'
import { requireConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { ensureToken } from '../config/token.ts'
import type { Fact } from '../journal/schema.ts'
import type { ComponentRecord } from '../registry/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { type Lock, takeLock } from '../store/lock.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Bell, bellOf, ringing } from './bell.ts'
import { type Ledger, ledgerOf } from './ledger.ts'
import { factsOfStart, hostFact, machineOf } from './rules.ts'
import type { HostRecord } from './schema.ts'

export type Ground = {
  readonly layout: Layout
  readonly config: Config['host']
  readonly history: Config['history']
  readonly budgets: Config['budgets']
  readonly review: Config['review']
  readonly lock: Lock
  readonly log: Log
  readonly store: Store
  readonly bell: Bell
  readonly ledger: Ledger
  readonly token: string
  readonly self: Identity
  readonly now: () => Date
  /** Since when tasks that wait are left waiting: a person said so to a host before. */
  readonly paused: string | undefined
  /** Records something of this host. */
  record(type: string, data?: Fact['data']): void
}

export type GroundOptions = {
  readonly root: string
  readonly now?: () => Date
  /** Puts something between the host and its store. */
  readonly wrap?: (store: Store) => Store
}

const whoRuns = (root: string): string => {
  const file = readHostFile(root)
  return file ? `process ${file.pid}` : 'it is starting'
}

/** In one transaction with what it says of the host before, so that no reader sees two hosts alive. */
const recordStart = async (store: Store, machine: string, self: Identity): Promise<void> => {
  const { kept } = await store.list('component')
  const components = kept.map(
    ({ subject, state }) => [subject.slice('component:'.length), state as ComponentRecord] as const,
  )
  await store.transact(`host:${machine}`, (was) => ({
    facts: factsOfStart(machine, { ...self, version }, was?.state as HostRecord | undefined, components),
    value: undefined,
  }))
}

export const takeGround = async (options: GroundOptions, undo: Undo): Promise<Ground> => {
  const { root, now = () => new Date(), wrap = (store) => store } = options
  const layout = layoutOf(root)
  const machine = machineOf(hostname())
  const self = identify(process.pid) ?? fail('internal', { what: 'this process cannot be identified' })
  // Before the lock: a bad file is reported even where another host runs.
  const { host: config, history, budgets, review } = await requireConfig(root)

  const lock = (await takeLock(layout.lock)) ?? fail('host_running', { root, who: whoRuns(root) })
  undo.add('release the lock', () => lock.release())
  const token = await ensureToken(root)
  const log = openLog({
    file: layout.log,
    component: 'host',
    level: () => config.log_level,
    now,
    secrets: [token],
  })
  undo.add('close the log', () => log.close())

  const bell = bellOf()
  const opened = await openStore({ file: layout.store, reduce: reduceOf, now })
  undo.add('close the store', () => opened.close())
  const store = ringing(wrap(opened), bell)
  await recordStart(store, machine, self)
  const { paused } = ((await store.load(`host:${machine}`))?.state ?? {}) as Partial<HostRecord>
  const ledger = ledgerOf({ store, log })
  const record: Ground['record'] = (type, data) => ledger.record(hostFact(machine, type, data))
  undo.add('record the end', async () => {
    record('stopped')
    await ledger.flush()
    ledger.close()
  })
  return {
    layout,
    config,
    history,
    budgets,
    review,
    lock,
    log,
    store,
    bell,
    ledger,
    token,
    self,
    now,
    paused,
    record,
  }
}
