// A role for people's eyes: what it is first, then what it is told, then what it may do.
import { stringify } from 'yaml'
import { abilities } from '../../../role/capability/schema.ts'
import type { Role } from '../../../role/schema.ts'

const indented = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())

const section = (title: string, text: string | undefined): string[] =>
  text === undefined || text.trim() === '' ? [] : ['', `${title}:`, ...indented(text)]

/** Left out where nothing is set in it. */
const block = (title: string, value: object | undefined): string[] =>
  value === undefined || Object.keys(value).length === 0
    ? []
    : section(title, stringify(value, { lineWidth: 0 }))

const rows = (pairs: readonly (readonly [string, string | undefined])[]): string[] => {
  const said = pairs.filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(...said.map(([name]) => name.length)) + 2
  return said.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`)
}

const worktreeOf = ({ worktree }: Role): string | undefined =>
  worktree.enabled
    ? `from ${worktree.branch_from}${worktree.use_detached_head ? ', without a branch' : ''}`
    : undefined

const capabilitiesOf = ({ capabilities }: Role): string => {
  const may = abilities.filter((ability) => capabilities[ability])
  const words = may.map((ability) => ability.slice('can_'.length).replaceAll('_', ' '))
  const roles = capabilities.can_delegate_to_roles
  return (
    [...words, ...(roles.length === 0 ? [] : [`delegate to ${roles.join(', ')}`])].join(', ') || 'nothing'
  )
}

const permissionsOf = ({ permissions: { allow, deny, agent } }: Role): string[] => [
  '',
  'Permissions:',
  `  Allow: ${allow.join(', ') || '-'}`,
  `  Deny:  ${deny.join(', ') || '-'}`,
  `  Agent: ${agent.enabled ? 'enabled' : 'not enabled: what no rule decides is asked of you'}`,
]

export const shownRole = (role: Role, from: string): string[] => [
  ...rows([
    ['Name', role.name],
    ['Model', role.model],
    ['Description', role.description],
    ['From', from],
    ['Runs', role.agent_type === 'claude' ? undefined : [role.agent_type, ...role.command].join(' ')],
    ['Mode', role.permission_mode],
    ['May', capabilitiesOf(role)],
    ['Works in', role.root_dir === '.' ? undefined : role.root_dir],
    ['Worktree', worktreeOf(role)],
    ['Pod', role.pod],
    ['Tasks', role.queue ? 'takes those that wait, when it is idle' : undefined],
    ['Config', role.claude_config_dir],
    ['Credentials', role.credentials.join(', ')],
    ['Project', role.project_settings === 'ignore' ? 'its settings are ignored' : undefined],
  ]),
  ...section('System prompt', role.system_prompt),
  ...section('Instructions', role.instructions),
  ...permissionsOf(role),
  ...section('Reviewer', role.permissions.agent.instructions),
  ...block('Tools', role.tools),
  ...block('Budget', role.budget),
  ...block('Heartbeat', role.heartbeat),
  ...block('Sandbox', role.sandbox),
  ...block('Review', role.review),
  ...block('Hooks', role.hooks),
  ...block('Settings', role.settings),
  ...block('Style', role.style),
  ...block('Tests', role.tests),
]
