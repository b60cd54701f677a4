// The answer about the role of an agent.
import * as z from 'zod'
import { agent as api } from '../../agent/api.ts'
import { nextRole } from '../../agent/headless/switch.ts'
import type { Roster } from '../../agent/roster.ts'
import type { AgentFile } from '../../agent/schema.ts'
import type { BodyOf } from '../../base/contract/schema.ts'
import { name } from '../../base/name/schema.ts'
import { activity } from '../../journal/rules.ts'
import type { Fact } from '../../journal/schema.ts'
import { defaultRole } from '../../role/builtin/schema.ts'
import { type Route, route } from '../http/route.ts'

type SwitchRole = Roster['switchRole']

const answer = async (switchRole: SwitchRole, name: string, body: BodyOf<typeof api.role>) => {
  const { role, confirm, by = 'api' } = body
  const { warnings, ...switched } = await switchRole({ name, role, by, confirm })
  return { agent: name, ...switched, warnings: [...warnings] }
}

export const roleRoutes = (name: string, switchRole: SwitchRole): readonly Route[] => [
  route(api.role, ({ body }) => answer(switchRole, name, body), { work: true }),
]

/** Of one that does not run, and that the host holds nothing of. */
export const restingRoutes = (switchRole: SwitchRole): readonly Route[] => [
  route(
    { ...api.role, path: '/agents/:name/role', params: z.strictObject({ name }) },
    ({ params, body }) => answer(switchRole, params.name, body),
    { work: true },
  ),
]

export type TaskedRole = {
  readonly agent: string
  readonly root: string
  /** Its config. */
  readonly file: string
  readonly current: () => AgentFile
  readonly changed: (next: AgentFile) => void
  readonly record: (...facts: readonly Fact[]) => void
}

/** What runs goes on as it began: nothing is interrupted. */
export const taskedRoleRoutes = (options: TaskedRole): readonly Route[] => [
  route(api.role, async ({ body }) => {
    const { agent, current, record } = options
    const { role: to, by = 'api' } = body
    const from = current().role ?? defaultRole
    const reply = { agent, from, to, when: 'task' as const, warnings: [] }
    if (from === to) return reply
    options.changed(await nextRole(options, to))
    record(activity('component.switched', `agents/${agent}`, { from, to, by }))
    return reply
  }),
]
