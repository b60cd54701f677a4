// Roles and pods.
import type { Command } from '../io.ts'

const group = 'Recipes'
const pod = {
  name: 'pod',
  value: 'POD',
  summary: 'As an agent of this pod finds it: roles of pods come first; default $AGENCY_POD.',
}

export const recipes: readonly Command[] = [
  {
    words: ['role', 'list'],
    group,
    agents: 'may',
    summary: 'List the roles of the root and those that ship with agency.',
    args: [],
    options: [pod],
    examples: ['agency role list --json'],
    load: () => import('../role/list.ts'),
  },
  {
    words: ['role', 'show'],
    group,
    agents: 'may',
    summary: 'Show a role with what it inherits.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [pod],
    examples: ['agency role show coder'],
    load: () => import('../role/show.ts'),
  },
  {
    words: ['role', 'init'],
    group,
    agents: 'never',
    summary: 'Write a new role file to begin from.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [],
    examples: ['agency role init coder'],
    load: () => import('../role/init.ts'),
  },
  {
    words: ['role', 'check'],
    group,
    agents: 'may',
    summary: 'Check a role: its file, what it inherits, its rules.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [pod],
    examples: ['agency role check coder'],
    load: () => import('../role/check.ts'),
  },
  {
    words: ['role', 'explain'],
    group,
    agents: 'may',
    summary: 'Say what would be decided about a call of a role, layer by layer.',
    args: [
      { name: 'role', summary: 'Its name.' },
      {
        name: 'call',
        summary: 'The call: `Bash(git push)`, `Write(notes.md)` or JSON with "tool" and "input".',
      },
    ],
    options: [pod],
    examples: [
      "agency role explain planner 'Bash(git push)'",
      `agency role explain coder '{"tool":"Edit","input":{"file_path":"src/main.ts"}}' --json`,
    ],
    load: () => import('../role/explain.ts'),
  },
  {
    words: ['role', 'test'],
    group,
    agents: 'may',
    summary: 'Decide the examples under `tests` of role files again; 1 if one does not hold.',
    args: [{ name: 'role', summary: 'Roles to test; absent = all.', optional: true, repeat: true }],
    options: [pod],
    examples: ['agency role test', 'agency role test coder tester --json'],
    load: () => import('../role/test.ts'),
  },
  {
    words: ['role', 'switch'],
    group,
    agents: 'never',
    summary: 'Give an agent another role; its conversation goes on.',
    args: [
      { name: 'agent', summary: 'The agent.' },
      { name: 'role', summary: 'The role it gets.' },
    ],
    options: [{ name: 'yes', summary: 'Interrupt what it does without a question.' }],
    examples: ['agency role switch coder-1 planner', 'agency role switch coder-1 actor --yes'],
    load: () => import('../role/switch.ts'),
  },
  {
    words: ['pod', 'list'],
    group,
    agents: 'may',
    summary: 'List the pod templates, and the pods that run with their agents.',
    args: [],
    options: [],
    examples: ['agency pod list'],
    load: () => import('../pod/list.ts'),
  },
  {
    words: ['pod', 'show'],
    group,
    agents: 'may',
    summary: 'Show a pod template.',
    args: [{ name: 'pod', summary: 'Its name.' }],
    options: [],
    examples: ['agency pod show backend'],
    load: () => import('../pod/show.ts'),
  },
]
