// Tasks: one prompt with an outcome.
import type { Argument, Option } from '../command/schema.ts'
import type { Command } from '../io.ts'

const group = 'Tasks'
const id: Argument = { name: 'id', summary: 'The task, as `agency task run` told it.' }
const prompt: Argument = { name: 'prompt', summary: 'What to do; - reads standard input.', optional: true }
const file: Option = {
  name: 'file',
  value: 'FILE',
  summary: 'The prompt is in this file; - reads standard input.',
}
const wait: Option = {
  name: 'wait',
  summary: 'Until it is over; then show what it said. Ctrl-C leaves it running.',
}
const follow: Option = {
  name: 'follow',
  letter: 'f',
  summary: 'Wait, and show what it does meanwhile, tool by tool.',
}
const timeout: Option = { name: 'timeout', value: 'TIME', summary: 'How long it may take, such as 30m.' }
const agent: Option = { name: 'agent', value: 'NAME', summary: 'Only those of this agent.' }

export const task: readonly Command[] = [
  {
    words: ['task', 'run'],
    group,
    summary: 'Give a task to an agent, or to the first that fits and is free; it is kept until it is done.',
    args: [prompt],
    options: [
      file,
      { name: 'agent', value: 'NAME', summary: 'Who does it, at once; absent = whoever is free first.' },
      { name: 'role', value: 'ROLE', summary: 'Only an agent that has this role.' },
      { name: 'pod', value: 'POD', summary: 'Only an agent of this pod.' },
      { name: 'label', value: 'LABEL', summary: 'Only an agent that has this label.', repeat: true },
      { name: 'queue', summary: 'Let it wait until the agent that you name is free.' },
      { name: 'priority', value: 'N', summary: 'Before others that wait, where it is higher; default 0.' },
      { name: 'not-before', value: 'TIME', summary: 'It waits until then: 2026-12-24T18:00, or 10m.' },
      wait,
      follow,
      timeout,
      {
        name: 'model',
        value: 'MODEL',
        summary: 'opus, sonnet, haiku or a full name; default as the agent says.',
      },
      { name: 'session', value: 'ID', summary: 'Go on with this session of the agent.' },
      { name: 'keep-open', summary: 'After its answer it waits to be continued, until it is ended.' },
      { name: 'resumable', summary: 'After a crash it goes on where it was.' },
      { name: 'project', value: 'NAME=PROMPT', summary: 'Comes before the prompt.' },
      {
        name: 'env',
        value: 'NAME[=VALUE]',
        summary: 'A variable for this task alone; without =VALUE yours, which others cannot see in `ps`.',
        repeat: true,
      },
      { name: 'key', value: 'KEY', summary: 'Given again under the same key, it is the same task.' },
    ],
    oneOf: ['prompt', 'file'],
    examples: [
      'agency task run "Fix the login" --agent coder --wait',
      'agency task run --file plan.md --role coder --follow --timeout 2h',
      'agency task run "Update the docs" --label docs --not-before 8h',
      'agency task run - --agent coder --env GITHUB_TOKEN --key issue-17 --json',
    ],
    agents: 'delegate',
    load: () => import('../task/run.ts'),
  },
  {
    words: ['task', 'list'],
    group,
    summary: 'List the tasks that are not over.',
    args: [],
    options: [agent, { name: 'all', summary: 'Also those that are over.' }],
    examples: ['agency task list', 'agency task list --agent coder --all --json'],
    agents: 'may',
    load: () => import('../task/list.ts'),
  },
  {
    words: ['task', 'show'],
    group,
    summary: 'Show a task: what it was asked, what it does or did, what it said.',
    args: [id],
    options: [wait, follow],
    examples: ['agency task show task-3k2m9', 'agency task show task-3k2m9 --wait'],
    agents: 'may',
    load: () => import('../task/show.ts'),
  },
  {
    words: ['task', 'continue'],
    group,
    summary: 'Say more to a task that stays open or is over, in its session.',
    args: [id, prompt],
    options: [file, wait, follow, timeout],
    oneOf: ['prompt', 'file'],
    examples: ['agency task continue task-3k2m9 "Now the tests." --wait'],
    agents: 'delegate',
    load: () => import('../task/continue.ts'),
  },
  {
    words: ['task', 'cancel'],
    group,
    summary: 'End a task, and every process it has started.',
    args: [id],
    options: [{ name: 'wait', summary: 'Until nothing of it is left.' }],
    examples: ['agency task cancel task-3k2m9 --wait'],
    agents: 'never',
    load: () => import('../task/cancel.ts'),
  },
  {
    words: ['task', 'end'],
    group,
    summary: 'Close a task that was kept open.',
    args: [id],
    options: [],
    examples: ['agency task end task-3k2m9'],
    agents: 'never',
    load: () => import('../task/end.ts'),
  },
  {
    words: ['task', 'pause'],
    group,
    summary: 'Begin no task that waits for an agent; what runs goes on.',
    args: [],
    options: [],
    examples: ['agency task pause'],
    agents: 'never',
    load: () => import('../task/pause.ts'),
  },
  {
    words: ['task', 'unpause'],
    group,
    summary: 'Begin tasks that wait again.',
    args: [],
    options: [],
    examples: ['agency task unpause'],
    agents: 'never',
    load: () => import('../task/unpause.ts'),
  },
  {
    words: ['task', 'debug'],
    group,
    summary: 'Show what the CLI printed for a task, unread.',
    args: [id],
    options: [],
    examples: ['agency task debug task-3k2m9'],
    agents: 'may',
    load: () => import('../task/debug.ts'),
  },
  {
    words: ['history'],
    group,
    summary: 'List the tasks of all agents, newest first.',
    args: [],
    options: [
      agent,
      { name: 'limit', value: 'N', summary: 'How many on a page; default 20.' },
      { name: 'page', value: 'N', summary: 'Which page; default the first.' },
    ],
    examples: ['agency history', 'agency history --agent coder --limit 50 --page 2'],
    agents: 'may',
    load: () => import('../task/history.ts'),
  },
]
