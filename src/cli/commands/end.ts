// What ends something.
import type { Command } from '../io.ts'

const group = 'End'

export const end: readonly Command[] = [
  {
    words: ['stop'],
    group,
    agents: 'never',
    summary: 'End one agent or other component.',
    args: [{ name: 'name', summary: 'Its name.' }],
    options: [],
    examples: ['agency stop coder-1'],
    load: () => import('../agent/stop.ts'),
  },
  {
    words: ['pod', 'stop'],
    group,
    agents: 'never',
    summary: 'End every agent of a pod.',
    args: [{ name: 'pod', summary: 'The pod, as `agency pod list` shows it.' }],
    options: [],
    examples: ['agency pod stop backend'],
    load: () => import('../pod/stop.ts'),
  },
  {
    words: ['down'],
    group,
    agents: 'never',
    summary: 'End the host; sessions of agents go on.',
    args: [],
    options: [],
    examples: ['agency down'],
    load: () => import('../host/down.ts'),
  },
  {
    words: ['shutdown'],
    group,
    agents: 'never',
    summary: 'Let what runs finish, then end it.',
    args: [],
    options: [
      { name: 'all', summary: 'Every component, then the host.' },
      { name: 'agents', summary: 'Every agent.' },
      { name: 'directors', summary: 'Every director.' },
      { name: 'port', value: 'PORT', summary: 'The component at this port.' },
    ],
    oneOf: ['all', 'agents', 'directors', 'port'],
    examples: ['agency shutdown --all', 'agency shutdown --port 9001'],
    load: () => import('../host/shutdown.ts'),
  },
  {
    words: ['kill'],
    group,
    agents: 'never',
    summary: 'End every process of this root: TERM, 5 seconds, KILL. Works when the host does not answer.',
    args: [],
    options: [
      { name: 'all', summary: 'Say that you mean all of them.', required: true },
      { name: 'dry-run', summary: 'Show what would be done and stop.' },
    ],
    examples: ['agency kill --all --dry-run', 'agency kill --all'],
    load: () => import('../kill/kill.ts'),
  },
  {
    words: ['session', 'gc'],
    group,
    agents: 'never',
    summary:
      'Remove the sessions of agents that have ended, with what they said; they cannot be resumed then.',
    args: [],
    options: [
      { name: 'older', value: 'DAYS', summary: 'Only what ended, or was lost, at least so long ago.' },
      { name: 'dry-run', summary: 'Show what would be done and stop.' },
    ],
    examples: ['agency session gc --dry-run', 'agency session gc --older 7'],
    load: () => import('../session/gc.ts'),
  },
  {
    words: ['worktree', 'remove'],
    group,
    agents: 'never',
    summary: 'Remove the worktree of an agent, if no work is lost.',
    args: [{ name: 'agent', summary: 'Its name.' }],
    options: [{ name: 'dry-run', summary: 'Show what would be done and stop.' }],
    examples: ['agency worktree remove coder-1 --dry-run', 'agency worktree remove coder-1'],
    load: () => import('../worktree/remove.ts'),
  },
]
