// A launched agent as a component of the host, beside those that a file configures.
import type { Live } from '../agent/live.ts'
import type { Roster } from '../agent/roster.ts'
import { version } from '../base/version.ts'
import { openStatusOf } from '../registry/rules.ts'
import type { ComponentStatus } from '../registry/schema.ts'
import { component as api } from './api.ts'
import type { Asked, Ending } from './component.ts'
import type { Delegation } from './delegation.ts'
import { route } from './http/route.ts'
import { tableOf } from './http/router.ts'
import { launchedAgent, plainAgent } from './kinds.ts'
import type { Member } from './member.ts'
import { agentRoutes } from './routes/agents.ts'
import { roleRoutes } from './routes/role.ts'
import { taskRoutes } from './routes/tasks.ts'
import { aborted } from './within.ts'

export type LaunchedOptions = {
  readonly live: Live
  readonly now: () => number
  readonly delegation: Delegation
  readonly roster: Pick<Roster, 'switchRole' | 'settled'>
  readonly shutdown: (member: Member, asked: Asked) => number
}

/** TERM, this long, KILL: once running work was waited for. */
const grace = 10_000
const look = 100

/** Only what goes on by itself is waited for: who is blocked would wait for a person. */
const untilQuiet = async (live: Live, hurry: AbortSignal): Promise<void> => {
  const impatient = aborted(hurry)
  while (!hurry.aborted && live.session().turn !== undefined && live.state().name !== 'blocked')
    await Promise.race([impatient, live.over, new Promise((resolve) => setTimeout(resolve, look))])
}

export const launchedMember = ({ live, now, delegation, roster, shutdown }: LaunchedOptions): Member => {
  const id = `agents/${live.name}`
  const began = performance.now()
  const kind = live.session().managed ? launchedAgent : plainAgent
  let ending: Promise<void> | undefined

  const message = (): string | undefined => {
    const { text, next, state } = live.entry()
    return text === state ? undefined : [text, next].filter((word) => word !== undefined).join('. ')
  }

  const currentTask = (): ComponentStatus['current_task'] => {
    const task = live.tasks.current()
    if (task === undefined) return null
    const { id, startedAt, at, preview } = task
    return { id, started_at: new Date(startedAt ?? at).toISOString(), prompt_preview: preview }
  }

  const status = (): ComponentStatus => {
    const { role, pod, cwd, session, managed, turns, tokens, cost_usd, state } = live.entry()
    const said = message()
    return {
      type: 'agent',
      name: live.name,
      interfaces: [...kind.interfaces],
      version,
      state,
      ...(said !== undefined && { message: said }),
      uptime_seconds: Math.floor((performance.now() - began) / 1000),
      current_task: currentTask(),
      config: { role: role ?? null, pod: pod ?? null, cwd, session, managed, turns, tokens, cost_usd },
      log: [],
    }
  }

  const current = async (): Promise<Live> => (await roster.settled(live.name)) ?? live
  const impatience = new AbortController()
  const hurry = impatience.signal

  const end = async (leave: boolean): Promise<void> => {
    if (leave) return live.leave()
    const whom = await current()
    whom.drain()
    await untilQuiet(whom, hurry)
    // Asked a second time, the shorter grace counts.
    void aborted(hurry).then(() => whom.end(0))
    await whom.end(grace)
  }

  const member: Member = {
    id,
    name: live.name,
    kind,
    state: () => live.entry().state,
    message,
    pod: () => live.entry().pod,
    port: () => undefined,
    table: () => table,
    currentTask,
    start: async () => {},
    finish: (how: Ending) => {
      // Asked again, it can only end sooner.
      void aborted(how.hurry).then(() => impatience.abort())
      ending ??= end(how.leave)
      return ending
    },
  }

  const table = tableOf([
    route(api.status, ({ known }) => (known ? status() : openStatusOf(status())), { open: true }),
    route(api.shutdown, ({ body }) => {
      const drain = shutdown(member, body)
      return { message: 'Shutdown initiated', drain_timeout: drain, components: [id] }
    }),
    ...agentRoutes(live, current),
    ...roleRoutes(live.name, roster.switchRole),
    ...taskRoutes(live.tasks, now, (asked) => delegation.check(asked, live.entry())),
  ])
  return member
}
