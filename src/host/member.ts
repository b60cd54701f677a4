// One component in the host: its config, its state, its log, its port, its table of routes.
import { basename, dirname, join } from 'node:path'
import { AgencyError, failure } from '../base/error/fail.ts'
import { type Log, openLog } from '../base/log/open.ts'
import { redact } from '../base/log/rules.ts'
import type { Level } from '../base/log/schema.ts'
import { maskOf } from '../base/secret/rules.ts'
import { version } from '../base/version.ts'
import type { Layout } from '../config/layout/rules.ts'
import { validateFile } from '../config/validate.ts'
import { problemLine } from '../config/yaml/rules.ts'
import { isOver, openStatusOf } from '../registry/rules.ts'
import type { ComponentState, ComponentStatus } from '../registry/schema.ts'
import type { Store } from '../store/store.ts'
import { component as api } from './api.ts'
import type { Asked, Component, Ending, Kind, Settings } from './component.ts'
import type { Listener } from './http/listen.ts'
import { route } from './http/route.ts'
import { type Table, tableOf } from './http/router.ts'
import type { Ledger } from './ledger.ts'
import { componentFact } from './rules.ts'
import { aborted, within } from './within.ts'

export type Member = {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  state(): ComponentState
  message(): string | undefined
  /** Its config; undefined = it was launched. */
  readonly file?: string
  pod(): string | undefined
  /** The port it listens on; undefined where its config has none, or it could not. */
  port(): number | undefined
  table(): Table
  currentTask(): ComponentStatus['current_task']
  start(): Promise<void>
  finish(ending: Ending): Promise<void>
}

export type MemberOptions = {
  readonly kind: Kind
  readonly name: string
  /** Its config, where that lies elsewhere; its log is then beside it. */
  readonly file?: string
  readonly layout: Layout
  readonly level: Level
  readonly store: Store
  readonly ledger: Ledger
  readonly hostLog: Log
  readonly now: () => Date
  readonly secrets: readonly string[]
  /** Serves the table of a member at a port of its own. */
  readonly listen: (member: Member, port: number) => Promise<Listener>
  /** Ends a member; the crew's, so that one way of ending is used by all. */
  readonly shutdown: (member: Member, asked: Asked) => number
}

/** How long a component may overstay the end of patience before the host goes on without it. */
const overstay = 3_000

export const memberOf = (options: MemberOptions): Member => {
  const { kind, name, layout, ledger, store } = options
  const id = `${kind.place}/${name}`
  const began = performance.now()
  const file = options.file ?? kind.configFile(layout, name)
  const logFile = kind.logFile(layout, name)
  let settings: Settings = {}
  const log = openLog({
    ...options,
    file: file === kind.configFile(layout, name) ? logFile : join(dirname(file), basename(logFile)),
    component: id,
    level: () => settings.log_level ?? options.level,
  })
  let state: ComponentState = 'starting'
  let message: string | undefined
  let component: Component | undefined
  let listener: Listener | undefined
  let starting: Promise<void> | undefined
  let ending: Promise<void> | undefined
  const impatience = new AbortController()

  // Said in the journal, in its own log and in the root's: each has its own reader.
  const report = (next: ComponentState, why?: string): void => {
    if (isOver(state) || (next === state && why === message)) return
    state = next
    message = why
    const facts = { state, ...(why !== undefined && { reason: why }) }
    for (const each of [log, options.hostLog])
      each[next === 'error' ? 'error' : 'info'](`${id}: ${next}`, facts)
    ledger.record(componentFact(id, 'changed', { state, ...(why !== undefined && { message: why }) }))
  }

  const status = (): ComponentStatus => ({
    type: kind.type,
    name,
    interfaces: [...kind.interfaces],
    version,
    state,
    ...(message !== undefined && { message }),
    uptime_seconds: Math.floor((performance.now() - began) / 1000),
    current_task: component?.currentTask() ?? null,
    config: redact(component?.settings?.() ?? settings, maskOf([])) as Record<string, unknown>,
    log: [...log.recent()],
  })

  const universal = [
    route(api.status, ({ known }) => (known ? status() : openStatusOf(status())), { open: true }),
    route(api.shutdown, ({ body }) => {
      const drain = options.shutdown(member, body)
      return { message: 'Shutdown initiated', drain_timeout: drain, components: [id] }
    }),
  ]
  // An open door behind which nothing works would lose what is put through it.
  const closed = (): AgencyError | undefined => {
    if (state === 'starting') return failure('not_ready', { what: id })
    if (state === 'error')
      return failure('component_error', { what: id, why: message ?? 'it does not say why' })
    return state === 'draining' || isOver(state) ? failure('draining', { what: id }) : undefined
  }
  let table = tableOf(universal, closed, () => false)

  const begin = async (): Promise<void> => {
    const read = await validateFile(file, [kind.file], layout.root)
    for (const warning of read.warnings) log.warn(problemLine(warning, layout.root))
    if (read.value === undefined) {
      const [first, ...more] = read.problems.map((each) => problemLine(each, layout.root))
      for (const problem of more) log.error(problem)
      return report('error', more.length > 0 ? `${first} (and ${more.length} more)` : first)
    }
    settings = read.value as Settings
    component = kind.make({ name, config: settings, file, layout, store, log, report })
    table = tableOf([...universal, ...component.routes], closed)
    // The port first: who watches it sees `starting` instead of nothing.
    if (settings.port !== undefined) listener = await options.listen(member, settings.port)
    if (!ending) await component.start()
  }

  const end = async (how: Ending): Promise<void> => {
    await within(starting, how.hurry, 0)
    if (state !== 'error') report('draining')
    const clean = await within(component?.finish(how), how.hurry, overstay).catch((error: Error) => {
      log.error(`${id} could not end`, { reason: error.message })
      return false
    })
    // What did not end is not called ended: something of it may still be there.
    state = clean ? 'exited' : 'lost'
    message = clean ? undefined : 'it did not end in time; something of it may still run'
    ledger.record(componentFact(id, clean ? 'stopped' : 'lost'))
    for (const each of [log, options.hostLog]) each[clean ? 'info' : 'error'](`${id}: ${state}`)
    await listener?.close(AbortSignal.any([how.hurry, AbortSignal.timeout(1_000)]))
    listener = undefined
    log.close()
  }

  const member: Member = {
    id,
    name,
    kind,
    file,
    state: () => state,
    message: () => message,
    pod: () => settings.pod,
    port: () => listener?.port,
    table: () => table,
    currentTask: () => component?.currentTask() ?? null,
    start: () => {
      ledger.record(componentFact(id, 'started', { type: kind.type }))
      starting = begin().catch((error: unknown) => {
        const { message: said, words, stack } = error as AgencyError
        if (!(error instanceof AgencyError)) options.hostLog.error(`${id} could not start`, { stack })
        report('error', words ? `${said} ${words.next}` : said)
      })
      return starting
    },
    finish: ({ hurry, leave }) => {
      // Asked again, it can only end sooner.
      void aborted(hurry).then(() => impatience.abort())
      ending ??= end({ hurry: impatience.signal, leave })
      return ending
    },
  }
  return member
}
