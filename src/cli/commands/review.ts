// Reviews: what waits for a verdict, and who has said what. `roz …` is another spelling of these.
import type { Command } from '../io.ts'

const group = 'Review'
const session = {
  name: 'session',
  summary: 'The session, four or more of its first characters, or an agent: its latest session.',
}

export const review: readonly Command[] = [
  {
    words: ['review', 'list'],
    group,
    agents: 'may',
    summary: 'List the sessions that were or are to be reviewed, the latest first.',
    args: [],
    options: [
      { name: 'limit', letter: 'l', value: 'COUNT', summary: 'How many at most; default 20, 0 = all.' },
    ],
    examples: ['agency review list', 'agency review list -l 50 --json'],
    load: () => import('../review/list.ts'),
  },
  {
    words: ['review', 'context'],
    group,
    agents: 'may',
    summary: 'Show what a reviewer needs: the prompts, the gated call, what was decided, how to decide.',
    args: [session],
    options: [],
    examples: ['agency review context coder-1', 'agency review context 3f9c21ab --json'],
    load: () => import('../review/context.ts'),
  },
  {
    words: ['review', 'decide'],
    group,
    // The reviewer inside a session types it too, with the secret it was given; anybody else there is refused and noted.
    agents: 'may',
    summary: 'Say COMPLETE or ISSUES about the work of a session. For people and the reviewer only.',
    args: [
      session,
      { name: 'verdict', summary: 'COMPLETE or ISSUES.' },
      { name: 'summary', summary: 'What was found, in a sentence.' },
    ],
    options: [
      {
        name: 'message',
        letter: 'm',
        value: 'TEXT',
        summary: 'ISSUES: what the agent is told to do; default: the summary.',
      },
      { name: 'opinions', letter: 'o', value: 'TEXT', summary: 'What others said who were asked.' },
      { name: 'secret', value: 'SECRET', summary: 'What the reviewer in a session was given.' },
    ],
    examples: [
      'agency review decide coder-1 COMPLETE "The tests cover it."',
      'agency review decide 3f9c21ab ISSUES "No test." -m "Add a test for the empty list."',
    ],
    load: () => import('../review/decide.ts'),
  },
  {
    words: ['review', 'trace'],
    group,
    agents: 'may',
    summary: 'Show what happened in the reviews of a session, in its order.',
    args: [session],
    options: [{ name: 'verbose', letter: 'v', summary: 'With all that is known of each.' }],
    examples: ['agency review trace coder-1 -v'],
    load: () => import('../review/trace.ts'),
  },
  {
    words: ['review', 'debug'],
    group,
    agents: 'may',
    summary: 'Print everything that is stored of the review of a session, as JSON.',
    args: [session],
    options: [],
    examples: ['agency review debug coder-1'],
    load: () => import('../review/debug.ts'),
  },
  {
    words: ['review', 'clean'],
    group,
    agents: 'never',
    summary: 'Forget old reviews; never one that is open.',
    args: [],
    options: [
      { name: 'before', value: 'AGE', summary: 'Not touched for so long: 7d, 12h, 1h30m; default 7d.' },
      { name: 'all', summary: 'However young.' },
      { name: 'dry-run', summary: 'Only say what would be forgotten.' },
    ],
    examples: ['agency review clean', 'agency review clean --before 30d --dry-run'],
    load: () => import('../review/clean.ts'),
  },
  {
    words: ['review', 'stats'],
    group,
    agents: 'may',
    summary: 'Compare the texts that ask for a review: how often each led to a verdict.',
    args: [],
    options: [{ name: 'days', value: 'DAYS', summary: 'Of the last so many days; default 30.' }],
    examples: ['agency review stats', 'agency review stats --days 90 --json'],
    load: () => import('../review/stats.ts'),
  },
]
