// From nothing to a root that works.
import type { Command } from '../io.ts'

const group = 'Begin'
const credentials = ['claude-token', 'github-token', 'gitlab-token']

export const begin: readonly Command[] = [
  {
    words: ['demo'],
    group,
    agents: 'may',
    summary: 'See agency work, in a temporary root, without an account.',
    args: [],
    options: [{ name: 'check', summary: 'Verify every claim; exit 1 at the first that is not true.' }],
    examples: ['agency demo', 'agency demo --check --json'],
    load: () => import('../demo/demo.ts'),
  },
  {
    words: ['init'],
    group,
    agents: 'never',
    summary: 'Make a root: the directory that holds one agency.',
    args: [
      {
        name: 'dir',
        summary: 'Where; default $AGENCY_ROOT or ~/.agency.',
        optional: true,
        kind: 'directory',
      },
    ],
    options: [],
    examples: ['agency init', 'agency init ./agency'],
    load: () => import('../root/init.ts'),
  },
  {
    words: ['trust'],
    group,
    agents: 'never',
    summary: 'Allow a root that came with a directory (a clone) to supply roles and hooks.',
    args: [
      {
        name: 'dir',
        summary: 'The root; default the one found from here.',
        optional: true,
        kind: 'directory',
      },
    ],
    options: [],
    examples: ['agency trust .'],
    load: () => import('../root/trust.ts'),
  },
  {
    words: ['credential', 'set'],
    group,
    agents: 'never',
    summary: 'Store a credential, read from standard input or asked for without echo.',
    args: [{ name: 'name', summary: 'Which one.', choices: credentials }],
    options: [],
    examples: ['agency credential set github-token', 'gh auth token | agency credential set github-token'],
    secret: true,
    load: () => import('../credential/set.ts'),
  },
  {
    words: ['credential', 'check'],
    group,
    agents: 'never',
    summary: 'Say which credentials are there and readable only by you.',
    args: [{ name: 'name', summary: 'Which one; default all.', choices: credentials, optional: true }],
    options: [],
    examples: ['agency credential check'],
    load: () => import('../credential/check.ts'),
  },
  {
    words: ['doctor'],
    group,
    agents: 'may',
    summary: 'Look for what is missing or left over, and say how to fix it.',
    args: [],
    options: [],
    examples: ['agency doctor', 'agency doctor --json'],
    load: () => import('../doctor/doctor.ts'),
  },
]
