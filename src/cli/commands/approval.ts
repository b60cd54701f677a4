// What agents ask people for.
import type { Always } from '../../approval/schema.ts'
import type { Command } from '../io.ts'

const group = 'Talk'
/** As text: to load the schema would cost every command its time. */
const always: readonly Always[] = ['session', 'role']
const which = { name: 'approval', summary: 'The approval, or the agent if it waits for one answer only.' }
const reason = { name: 'reason', value: 'TEXT', summary: 'What the agent is told.' }

export const approval: readonly Command[] = [
  {
    words: ['approval', 'list'],
    group,
    summary: 'List the calls that wait for a person.',
    args: [],
    options: [{ name: 'all', summary: 'Those that need no answer any more too, and who won.' }],
    examples: ['agency approval list', 'agency approval list --all --json'],
    agents: 'may',
    load: () => import('../approval/list.ts'),
  },
  {
    words: ['approve'],
    group,
    summary: 'Allow the call that an agent waits with. The first answer wins, the dialog’s too.',
    args: [which],
    options: [
      { ...reason, summary: 'Why; kept in the journal.' },
      {
        name: 'always',
        value: 'HOW',
        summary:
          'Allow the very same call from now on: in this session, or by a rule in the file of the role.',
        choices: always,
      },
      { name: 'yes', summary: 'Write that rule without a question.' },
    ],
    examples: [
      'agency approve a1b2c3d4',
      'agency approve coder-1 --always session',
      'agency approve coder-1 --always role --yes',
    ],
    agents: 'never',
    load: () => import('../approval/approve.ts'),
  },
  {
    words: ['deny'],
    group,
    summary: 'Refuse the call that an agent waits with.',
    args: [which],
    options: [reason],
    examples: ['agency deny coder-1 --reason "Use the staging server."'],
    agents: 'never',
    load: () => import('../approval/deny.ts'),
  },
]
