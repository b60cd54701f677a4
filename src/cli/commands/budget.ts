// What agents may use.
import type { Command } from '../io.ts'

const group = 'Talk'
const more = (name: string, summary: string, value: string) => ({ name, value, summary })

export const budget: readonly Command[] = [
  {
    words: ['budget', 'show'],
    group,
    summary: 'Show every limit of turns, tokens, cost, time and runs, and what is used of it.',
    args: [
      {
        name: 'agent',
        summary: 'Only what this agent is held to: its own, its role’s, its pod’s, the root’s.',
        optional: true,
      },
    ],
    options: [],
    examples: ['agency budget show', 'agency budget show coder-1 --json'],
    agents: 'may',
    load: () => import('../budget/show.ts'),
  },
  {
    words: ['budget', 'raise'],
    group,
    summary: 'Let an agent whose budget is used up go on; of a limit per day, for today.',
    args: [{ name: 'who', summary: 'An agent, role/NAME, pod/NAME, or root for all agents together.' }],
    options: [
      more('turns', 'So many more answers of the model.', '+N'),
      more('tokens', 'So many more tokens.', '+N'),
      more('cost', 'So many more dollars at API prices.', '+USD'),
      more('wall-time', 'So much more time.', '+TIME'),
      more('runs', 'So many more launches.', '+N'),
    ],
    examples: ['agency budget raise coder-1 --turns +10', 'agency budget raise root --cost +5'],
    agents: 'never',
    load: () => import('../budget/raise.ts'),
  },
]
