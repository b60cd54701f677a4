// Which permissions each tool of Claude Code needs. What a role is offered and what it may call both follow from this.

export const permissions = ['read', 'write', 'create', 'delete', 'execute', 'delegate'] as const
export type Permission = (typeof permissions)[number]

/** All of `all`; and, where there is one, at least one of `any`. */
export type Need = { readonly all: readonly Permission[]; readonly any?: readonly Permission[] }

const need = (...all: readonly Permission[]): Need => ({ all })
const nothing = need()
const shell = need('execute')
const others = need('delegate')

/** Of any version still in use. `Task` and `Agent` are two names of one tool. */
export const toolNeeds: Readonly<Record<string, Need>> = {
  Read: need('read'),
  NotebookRead: need('read'),
  Glob: need('read'),
  Grep: need('read'),
  LS: need('read'),
  LSP: need('read'),
  ListMcpResourcesTool: need('read'),
  ReadMcpResourceTool: need('read'),

  Edit: need('write'),
  MultiEdit: need('write'),
  NotebookEdit: need('write'),
  // Makes a file or replaces one: the hook decides by whether the file is there.
  Write: { all: [], any: ['write', 'create'] },

  Bash: shell,
  BashOutput: shell,
  KillShell: shell,
  PowerShell: shell,
  Monitor: shell,
  // Both may carry commands that run as the text is read.
  Skill: need('read', 'execute'),
  SlashCommand: need('read', 'execute'),
  // What they set going runs when nobody looks.
  CronCreate: shell,
  CronDelete: shell,
  RemoteTrigger: shell,
  EnterWorktree: need('create', 'execute'),
  ExitWorktree: need('delete', 'execute'),

  Agent: others,
  Task: others,
  TaskOutput: others,
  TaskStop: others,
  SendMessage: others,
  TeamCreate: others,
  TeamDelete: others,
  ListAgents: others,
  Workflow: need('delegate', 'execute'),

  AskUserQuestion: nothing,
  CronList: nothing,
  EnterPlanMode: nothing,
  ExitPlanMode: nothing,
  PushNotification: nothing,
  ReportFindings: nothing,
  ScheduleWakeup: nothing,
  StructuredOutput: nothing,
  TaskCreate: nothing,
  TaskGet: nothing,
  TaskList: nothing,
  TaskUpdate: nothing,
  TodoWrite: nothing,
  ToolSearch: nothing,
  WebFetch: nothing,
  WebSearch: nothing,
}

/** Of versions before: a newer CLI warns at its start of a refusal of what it does not have. */
export const former: readonly string[] = ['LS', 'MultiEdit', 'NotebookRead', 'SlashCommand']

/** They run what stands in `command`. */
export const shells: readonly string[] = ['Bash', 'Monitor', 'PowerShell']

/** They set a subagent going: one tool under its old and its new name. */
export const delegates: readonly string[] = ['Agent', 'Task']

/** Where the input of a tool names the file it is about. */
export const pathFields: Readonly<Record<string, string>> = {
  Read: 'file_path',
  NotebookRead: 'notebook_path',
  Glob: 'path',
  Grep: 'path',
  LS: 'path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
}

/** Of those, the ones that make or change it. */
export const writers: readonly string[] = ['Edit', 'MultiEdit', 'NotebookEdit', 'Write']

/** A call of these is a question to the person at the terminal. */
export const questions: readonly string[] = ['AskUserQuestion', 'ExitPlanMode']
