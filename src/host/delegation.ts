// Whom an agent may give work: those whose role its own role delegates to. Fails closed: who is not known may give none.
// An agent without walls could leave out who it is, as it could do anything you can; the boundary is the sandbox.
import { fail } from '../base/error/fail.ts'
import { undelegated } from '../role/delegation/rules.ts'
import { loadRole } from '../role/load.ts'
import type { Role } from '../role/schema.ts'
import type { TaskRequest } from '../task/api.ts'
import type { Task } from '../task/schema.ts'

/** An agent as far as its role is concerned. */
export type Bearer = {
  readonly name: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
}

type Asked = Pick<TaskRequest, 'by' | 'model' | 'env'> & { readonly priority?: number | undefined }

export type Delegation = {
  /** Of a task for whoever fits: which roles may do it. Undefined = a person gives it. */
  giver(asked: Asked): Promise<Task['by']>
  /** Fails where the one that asks may not give `to` anything. */
  check(asked: Asked, to: Bearer): Promise<void>
}

const refuse = (agent: string, why: string): never => fail('task_not_delegated', { agent, why })

export const delegationOf = (root: string, find: (agent: string) => Bearer | undefined): Delegation => {
  const ownRole = async (agent: string): Promise<Role> => {
    const { role, pod } = find(agent) ?? {}
    if (role === undefined) return refuse(agent, 'it has no role that says what it may delegate to')
    return (await loadRole(root, role, { pod: pod !== undefined })).role
  }
  /** What changes who does the work, or puts it before that of others, is for people. */
  const refuseChanged = (agent: string, { model, env, priority }: Asked): void => {
    const [changed] = Object.entries({ model, env, priority }).filter(([, value]) => value !== undefined)
    if (changed !== undefined) refuse(agent, `\`${changed[0]}\` is for a person to say`)
  }
  return {
    giver: async (asked) => {
      const { by: agent } = asked
      if (agent === undefined) return undefined
      refuseChanged(agent, asked)
      const { name, capabilities } = await ownRole(agent)
      const { can_delegate_to_roles: roles } = capabilities
      if (roles.length === 0) refuse(agent, `its role "${name}" may delegate to no role`)
      return { agent, roles: [...roles] }
    },
    check: async (asked, { name: to, role: wanted }) => {
      const { by: agent } = asked
      if (agent === undefined) return
      refuseChanged(agent, asked)
      const own = await ownRole(agent)
      const why =
        wanted === undefined
          ? `"${to}" has no role that could be delegated to`
          : undelegated({ own, wanted, changed: false })
      if (why !== undefined) refuse(agent, why)
    },
  }
}
