// A permission rule in Claude Code's own words: `Read`, `Bash(make *)`, `mcp__server__tool`.
import * as z from 'zod'

/** Tools of the CLI, of any version still in use: a name outside this list is likely a slip of the pen. */
export const knownTools = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'BashOutput',
  'CronCreate',
  'CronDelete',
  'CronList',
  'Edit',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'ExitWorktree',
  'Glob',
  'Grep',
  'KillShell',
  'LS',
  'LSP',
  'ListMcpResourcesTool',
  'Monitor',
  'MultiEdit',
  'NotebookEdit',
  'NotebookRead',
  'PowerShell',
  'PushNotification',
  'Read',
  'ReadMcpResourceTool',
  'RemoteTrigger',
  'ScheduleWakeup',
  'SendMessage',
  'Skill',
  'SlashCommand',
  'StructuredOutput',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'TodoWrite',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Workflow',
  'Write',
] as const

/** Tools whose text in parentheses is a path pattern. */
export const pathTools: readonly string[] = [
  'Edit',
  'Glob',
  'Grep',
  'LS',
  'MultiEdit',
  'NotebookEdit',
  'NotebookRead',
  'Read',
  'Write',
]

export type Rule = {
  readonly tool: string
  /** The text in parentheses; absent = every use of the tool. */
  readonly pattern?: string
}

export const ruleText = z
  .string()
  .min(1, { error: 'a rule must name a tool' })
  .meta({ description: 'A permission rule: `Read`, `Bash(make *)`, `Write(docs/**)`, `mcp__server__tool`.' })
