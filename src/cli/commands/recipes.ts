// Roles and pods.
import type { Command } from '../io.ts'

const group = 'Recipes'

export const recipes: readonly Command[] = [
  {
    words: ['role', 'list'],
    group,
    summary: 'List the roles of the root and those that ship with agency.',
    args: [],
    options: [],
    examples: ['agency role list --json'],
    load: () => import('../role/list.ts'),
  },
  {
    words: ['role', 'show'],
    group,
    summary: 'Show a role with what it inherits.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [],
    examples: ['agency role show coder'],
    load: () => import('../role/show.ts'),
  },
  {
    words: ['role', 'init'],
    group,
    summary: 'Write a new role file to begin from.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [],
    examples: ['agency role init coder'],
    load: () => import('../role/init.ts'),
  },
  {
    words: ['role', 'check'],
    group,
    summary: 'Check a role: its file, what it inherits, its rules.',
    args: [{ name: 'role', summary: 'Its name.' }],
    options: [],
    examples: ['agency role check coder'],
    load: () => import('../role/check.ts'),
  },
  {
    words: ['pod', 'list'],
    group,
    summary: 'List the pod templates, and the pods that run with their agents.',
    args: [],
    options: [],
    examples: ['agency pod list'],
    load: () => import('../pod/list.ts'),
  },
  {
    words: ['pod', 'show'],
    group,
    summary: 'Show a pod template.',
    args: [{ name: 'pod', summary: 'Its name.' }],
    options: [],
    examples: ['agency pod show backend'],
    load: () => import('../pod/show.ts'),
  },
]
