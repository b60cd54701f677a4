// What is wrong or doubtful in one role file, beyond the kinds of its values.
import { doubt, type Remark, wrong } from '../../base/remark/rules.ts'
import { nearest } from '../../base/text/rules.ts'
import { credentialNames } from '../../config/credential/schema.ts'
import { judgeRule, parseRule } from '../../permission/rule/rules.ts'
import { checkReview } from '../review/rules.ts'
import { completeCapabilities } from '../rules.ts'
import type { RoleFile } from '../schema.ts'

type Key = string | number

const judgeRules = (rules: readonly unknown[] | undefined, keys: readonly Key[]): Remark[] =>
  (rules ?? []).flatMap((text, place) => {
    if (typeof text !== 'string') return []
    const { problem, warning, meant } = judgeRule(text)
    const at = [...keys, place]
    // It would be read otherwise than it looks, and match nothing: a deny that denies nothing opens a door.
    if (/\p{Cf}/u.test(text))
      return [wrong(at, 'has an invisible character, so it is not the rule it looks like')]
    if (problem !== undefined) return [wrong(at, problem)]
    return warning === undefined ? [] : [doubt(at, warning, meant)]
  })

const checkRules = ({ permissions, tests }: RoleFile): Remark[] => [
  ...judgeRules(permissions?.allow, ['permissions', 'allow']),
  ...judgeRules(permissions?.deny, ['permissions', 'deny']),
  ...judgeRules(tests?.allow, ['tests', 'allow']),
  ...judgeRules(tests?.ask, ['tests', 'ask']),
  ...judgeRules(tests?.deny, ['tests', 'deny']),
]

/** Which ability a rule for this tool would be about; what is not here needs none, or any. */
const needs = {
  Bash: 'can_execute_commands',
  Edit: 'can_write_files',
  NotebookEdit: 'can_write_files',
  Read: 'can_read_files',
} as const

const contradictions = ({ permissions, capabilities }: RoleFile): Remark[] => {
  const may = completeCapabilities(capabilities)
  return (permissions?.allow ?? []).flatMap((text, place) => {
    const at = ['permissions', 'allow', place]
    if (permissions?.deny?.includes(text)) return [doubt(at, `"${text}" is also denied, and deny wins`)]
    const parsed = parseRule(text)
    const tool = 'rule' in parsed ? parsed.rule.tool : ''
    const need = Object.hasOwn(needs, tool) ? needs[tool as keyof typeof needs] : undefined
    if (need === undefined || capabilities === undefined || may[need]) return []
    return [doubt(at, `"${text}" has no effect: the role lacks ${need}`)]
  })
}

/** Fields that only Claude Code understands. */
const claudeFields = [
  'model',
  'permission_mode',
  'system_prompt',
  'claude_config_dir',
  'hooks',
  'settings',
  'project_settings',
] as const

/** `role` may be one that is joined with its ancestors: then it inherits nothing any more. */
export const checkType = (role: RoleFile): Remark[] => {
  const type = role.agent_type ?? (role.inherits === undefined ? 'claude' : undefined)
  if (type === 'command' && role.command === undefined && role.inherits === undefined) {
    return [wrong(['command'], 'is missing: `agent_type: command` needs the program to run')]
  }
  if (type === 'claude' && role.command !== undefined) {
    return [wrong(['command'], 'needs `agent_type: command`; Claude Code is started by agency itself')]
  }
  const idle = type === 'command' ? claudeFields.filter((field) => role[field] !== undefined) : []
  return idle.map((field) => doubt([field], 'has no effect with `agent_type: command`'))
}

const doubts = (role: RoleFile): Remark[] => {
  const found: Remark[] = []
  const agent = role.permissions?.agent
  if (agent?.enabled === true && !agent.instructions?.trim() && role.inherits === undefined) {
    const text = 'has no effect without instructions: every request goes to you'
    found.push(doubt(['permissions', 'agent', 'enabled'], text))
  }
  if (role.permission_mode === 'bypassPermissions' && role.sandbox?.enabled !== true) {
    const text = 'is bypassPermissions without `sandbox: {enabled: true}`: only hooks hold'
    found.push(doubt(['permission_mode'], text))
  }
  if (role.permission_mode === 'auto') {
    found.push(doubt(['permission_mode'], 'is auto: Claude decides by itself, and asks nobody'))
  }
  if (role.model && role.settings?.model !== undefined) {
    found.push(doubt(['settings', 'model'], 'has no effect: `model` of the role wins'))
  }
  return found
}

const checkCredentials = ({ credentials = [] }: RoleFile): Remark[] =>
  credentials.flatMap((name, place) =>
    credentialNames.some((known) => known === name)
      ? []
      : [
          doubt(
            ['credentials', place],
            `"${name}" is no credential of agency`,
            nearest(name, credentialNames),
          ),
        ],
  )

/** `stem` is the name of the file without its ending. */
export const checkRole = (role: RoleFile, stem: string): Remark[] => [
  ...(role.name === stem ? [] : [wrong(['name'], `must be "${stem}", as the file is called`)]),
  ...checkRules(role),
  ...checkType(role),
  ...contradictions(role),
  ...doubts(role),
  ...checkCredentials(role),
  ...checkReview(role.review),
]
