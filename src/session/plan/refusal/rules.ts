// Why a role cannot be launched as it is written.
import type { Order } from '../../../driver/schema.ts'
import { isEverything, needsWalls } from '../../../permission/tool/rules.ts'
import type { Role } from '../../../role/schema.ts'
import type { PlanFacts, Refusal } from '../schema.ts'

/** Walls make a tree read-only or not; that is all they can tell apart in what a shell does. */
const isMountable = ({ capabilities }: Role): boolean =>
  capabilities.can_read_files &&
  !capabilities.can_write_files &&
  !capabilities.can_create_files &&
  !capabilities.can_delete_files

/** What makes a role that only walls could hold one that is held without them. */
const without = 'take `can_execute_commands` from the role, or give it every capability'

const walls = (role: Role, { sandbox }: Pick<PlanFacts, 'sandbox'>): readonly Refusal[] => {
  const needed = needsWalls(role.capabilities)
  const wanted = role.sandbox !== undefined && role.sandbox.enabled !== false
  const why = sandbox.why ?? 'this agency has none'
  if (needed && !isMountable(role)) {
    const more = sandbox.available ? ', or only reading in a sandbox' : ''
    const text = `the role may run commands and do only some of reading, writing, creating and deleting: a command cannot be held to that; ${without}${more}`
    return [{ code: 'not_enforceable', text }]
  }
  if (needed && !sandbox.available) {
    const text = `the role may run commands but not change files: only a sandbox can hold a command to that, and there is none (${why}); ${without}`
    return [{ code: 'sandbox_missing', text }]
  }
  if (needed && !wanted) {
    const text =
      'the role may run commands but not change files, and only a sandbox can hold a command to that: set `sandbox.enabled: true`'
    return [{ code: 'sandbox_needed', text }]
  }
  if (wanted && !sandbox.available) {
    const text = `the role asks for a sandbox, and there is none (${why}); without \`sandbox\` in the role it runs with no walls around it`
    return [{ code: 'sandbox_missing', text }]
  }
  if (wanted && role.claude_config_dir !== undefined) {
    const text =
      'the role asks for a sandbox and shares `claude_config_dir` with sessions outside it: what the agent writes there would run outside; take one of the two from the role'
    return [{ code: 'not_enforceable', text }]
  }
  return []
}

/** What a plain command would not be held to. */
const unheard = (role: Role): readonly string[] => [
  ...(isEverything(role.capabilities) ? [] : ['capabilities']),
  ...(role.permissions.deny.length > 0 ? ['permissions.deny'] : []),
  ...(role.permissions.agent.enabled ? ['permissions.agent'] : []),
  ...(role.review?.gates?.tools?.length ? ['review.gates'] : []),
  ...(['turns', 'tokens', 'cost_usd'] as const)
    .filter((limit) => role.budget[limit] !== undefined)
    .map((limit) => `budget.${limit}`),
]

const command = (role: Role): readonly Refusal[] => {
  if (role.agent_type !== 'command') return []
  if (role.command.length === 0)
    return [{ code: 'command_missing', text: '`agent_type: command` needs `command` in the role' }]
  const fields = unheard(role)
  if (fields.length === 0) return []
  const text = `a plain command asks nobody, so it would not be held to ${fields.join(', ')}`
  return [{ code: 'hooks_missing', text }]
}

/** What is wrong with the role itself, whatever program would run it. */
export const roleRefusals = (
  role: Role,
  facts: Pick<PlanFacts, 'sandbox' | 'uid' | 'credentials'>,
): readonly Refusal[] => {
  const walled = role.sandbox !== undefined && role.sandbox.enabled !== false
  const absent = role.credentials.filter((name) => facts.credentials[name] === undefined)
  return [
    ...command(role),
    ...walls(role, facts),
    ...(facts.uid === 0 && role.permission_mode === 'bypassPermissions' && !walled
      ? [
          {
            code: 'root_bypass' as const,
            text: 'Claude does not skip permissions for root outside a sandbox: use another permission_mode or another user',
          },
        ]
      : []),
    ...absent.map((name) => ({
      code: 'credential_missing' as const,
      text: `the role needs the credential ${name}: type \`agency credential set ${name}\``,
    })),
  ]
}

export const refusalsOf = (role: Role, facts: PlanFacts, order: Order | undefined): readonly Refusal[] => [
  ...roleRefusals(role, facts),
  ...(order === undefined ? [] : facts.driver.problems(order)).map((text) => ({
    code: 'order_refused' as const,
    text,
  })),
]
