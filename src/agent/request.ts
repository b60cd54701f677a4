// A request for permission that no hook of the session has brought, but a command: somebody tries it, or a hook of their
// own runs it.
import { randomUUID } from 'node:crypto'
import type { Driver } from '../driver/driver.ts'
import type { HookEvent } from '../driver/schema.ts'
import type { Session } from '../session/schema.ts'
import type { Permit } from './hooks.ts'

export type Requested = {
  readonly tool: string
  readonly input: unknown
  /** The session that asks. */
  readonly by?: string | undefined
  readonly cwd?: string | undefined
}

/** Resolves with what a hook would be answered; undefined = undecided after so many milliseconds. */
export type Requests = (requested: Requested, patience: number) => Promise<unknown>

export type RequestsOptions = {
  readonly driver: Driver
  readonly permit: Permit
  readonly session: () => Session
  readonly cwd: string
}

export const requestsOf =
  ({ driver, permit, session, cwd: tree }: RequestsOptions): Requests =>
  async ({ tool, input, by, cwd = tree }, patience) => {
    const { id: current, ids } = session()
    // It asks already, by a hook that can wait for hours: asked twice, one answer would be for nobody.
    if (by !== undefined && ids.includes(by)) return undefined
    const id = randomUUID()
    const event: Extract<HookEvent, { kind: 'permission_asked' }> = {
      kind: 'permission_asked',
      session: current,
      transcript: '',
      cwd,
      tool,
      input,
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        resolve(undefined)
        permit.closed(id)
      }, patience)
    })
    const answer = permit.ask(id, event, undefined).then((said) => driver.answerHook(event, said))
    // Told late, it is told to nobody.
    answer.catch(() => undefined)
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
