// Messages that nobody wrote: nudges of an idle agent, reminders of responses that are due.
import { spawn } from 'node:child_process'
import { milliseconds } from '../base/duration/rules.ts'
import type { Log } from '../base/log/open.ts'
import type { Role } from '../role/schema.ts'
import type { Session } from '../session/schema.ts'
import type { Desk } from './desk.ts'
import { type Nudge, nudgeAt, nudges, reminds } from './nudge/rules.ts'
import type { Message } from './schema.ts'

export type Heartbeat = NonNullable<Role['heartbeat']>

export type Pulse = {
  /** Something has changed. */
  look(): void
  close(): void
}

export type PulseOptions = {
  readonly agent: string
  readonly cwd: string
  readonly desk: Desk
  readonly session: () => Session
  readonly heartbeat?: Heartbeat | undefined
  readonly now: () => number
  readonly log: Log
}

const patience = 30_000
/** How often an idle agent that owes a response is looked at. */
const reminding = 10_000
const longest = 2 ** 30
const from = { kind: 'agency', name: 'agency' } as const

/** Whether it succeeds in time. It runs as the user, where the agent works; of the agent's own it sees nothing. */
const succeeds = (condition: string, cwd: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { PATH = '', HOME = '', LANG = '' } = process.env
    const child = spawn('/bin/sh', ['-c', condition], {
      cwd,
      env: { PATH, HOME, LANG },
      stdio: 'ignore',
      detached: true,
    })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, patience)
    child.once('error', () => resolve(false))
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })

export const pulseOf = (options: PulseOptions): Pulse => {
  const { agent, cwd, desk, session, heartbeat, now, log } = options
  const box = desk.box(agent)
  let timer: NodeJS.Timeout | undefined
  let [closed, busy] = [false, false]
  /** A condition that failed is asked again after another idle time. */
  let next = 0

  const known = (): ReadonlySet<string> => new Set(box.messages().map(({ id }) => id))

  const send = (id: string, text: string): Promise<unknown> =>
    desk.send({ from, to: agent, text, lane: 'idle', id })

  const nudge = async ({ id, text, condition }: Nudge): Promise<void> => {
    const { since } = session()
    if (condition !== '' && !(await succeeds(condition, cwd))) {
      next = now() + milliseconds(heartbeat?.idle_timeout ?? '10m')
      return
    }
    // It may have begun to work meanwhile: that period is over.
    if (!closed && session().since === since) await send(id, text)
  }

  const remind = async (message: Message): Promise<void> => {
    const due = reminds(message, session(), now())
    if (due === undefined) return
    await send(due.id, due.text)
    box.tell(message.id, { from: 'reminded' }, session())
  }

  const beat = async (): Promise<void> => {
    const due = now() < next ? undefined : nudges(session(), heartbeat, now(), known())
    if (due !== undefined) await nudge(due)
    for (const message of box.messages()) await remind(message)
  }

  const owes = (): boolean => box.messages().some(({ expects }) => expects && expects.closedBy === undefined)

  const look = (): void => {
    clearTimeout(timer)
    if (closed || busy) return
    const due = nudgeAt(session(), heartbeat, known())
    const times = [
      ...(due === undefined ? [] : [Math.max(due, next)]),
      ...(owes() ? [now() + reminding] : []),
    ]
    if (times.length === 0) return
    timer = setTimeout(run, Math.min(Math.max(Math.min(...times) - now(), 0), longest)).unref()
  }

  const run = (): void => {
    busy = true
    void beat()
      .catch((error: Error) => {
        next = now() + reminding
        log.warn('an agent could not be nudged', { agent, reason: error.message })
      })
      .then(() => {
        busy = false
        look()
      })
  }

  look()
  return {
    look,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
