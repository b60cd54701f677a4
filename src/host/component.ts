// What the host needs to know of a component to run it. Each kind of component brings one `Kind`.
import type { Log } from '../base/log/open.ts'
import type { Level } from '../base/log/schema.ts'
import type { Layout } from '../config/layout/rules.ts'
import type { Kind as FileKind } from '../config/validate/schema.ts'
import type {
  ComponentInterface,
  ComponentState,
  ComponentStatus,
  ComponentType,
} from '../registry/schema.ts'
import type { Store } from '../store/store.ts'
import type { Route } from './http/route.ts'

export type Component = {
  /** Beside `/status` and `/shutdown`, which every component has. */
  readonly routes: readonly Route[]
  /** Resolves when it is up. What it throws is shown as its error; the others run. */
  start(): Promise<void>
  currentTask(): ComponentStatus['current_task']
  /** Where they can change while it runs. */
  settings?(): Settings
  /** Resolves when nothing of it is left; `ending.hurry` aborts when patience is over. */
  finish(ending: Ending): Promise<void>
}

export type Ending = {
  readonly hurry: AbortSignal
  /** The host goes, its sessions stay with their keepers. */
  readonly leave: boolean
}

/** How much patience whoever asks for an end has. */
export type Asked = { readonly timeout_seconds?: number | undefined; readonly force?: boolean | undefined }

export type Context<Config> = {
  readonly name: string
  readonly config: Config
  /** Its config. */
  readonly file: string
  readonly layout: Layout
  readonly store: Store
  readonly log: Log
  /** The only way a component changes what is said of it. */
  report(state: ComponentState, message?: string): void
}

/** Settings that the host itself reads, whatever the kind. */
export type Settings = {
  readonly port?: number | undefined
  readonly log_level?: Level | undefined
  readonly pod?: string | undefined
}

/** One whose config somebody named, wherever it lies. */
export type Brought = { readonly type: ComponentType; readonly name: string; readonly file: string }

export type Kind<Config extends Settings = Settings> = {
  readonly type: ComponentType
  /** The first word of its path in the API and of its directory in the root. */
  readonly place: 'agents' | 'directors'
  /** What its config file must be like. */
  readonly file: FileKind
  readonly interfaces: readonly ComponentInterface[]
  configFile(layout: Layout, name: string): string
  logFile(layout: Layout, name: string): string
  make(context: Context<Config>): Component
}
