// What is said to agents.
import type { Lane } from '../../message/schema.ts'
import type { Command } from '../io.ts'

const group = 'Talk'
/** As text: to load the schema would cost every command its time. */
const lanes: readonly Lane[] = ['interrupt', 'normal', 'idle-first', 'idle']
const id = { name: 'id', summary: 'The message, as `agency send` told it.' }

export const message: readonly Command[] = [
  {
    words: ['send'],
    group,
    summary: 'Send a message to an agent; it is kept until the agent has taken it.',
    args: [
      { name: 'name', summary: 'The agent.' },
      { name: 'text', summary: 'What to say.', optional: true },
    ],
    options: [
      { name: 'file', value: 'FILE', summary: 'Say what stands in this file; - reads standard input.' },
      {
        name: 'lane',
        value: 'LANE',
        summary: 'interrupt ends the running turn; idle waits until nothing runs; default normal.',
        choices: lanes,
      },
      {
        name: 'wait',
        summary: 'Until its turn has ended, or the response is there; then show what was said.',
      },
      { name: 'expects-response', summary: 'Ask the agent for a response, and remind it.' },
      { name: 'closes', value: 'ID', summary: 'This is the response to that message.' },
      { name: 'id', value: 'ID', summary: 'Sent again under the same id, it is not sent twice.' },
    ],
    oneOf: ['text', 'file'],
    examples: [
      'agency send coder-1 "Please rebase." --wait',
      'agency send coder-1 --file plan.md --lane idle',
      'agency send lead --closes m3k2 "Done."',
    ],
    agents: 'may',
    load: () => import('../message/send.ts'),
  },
  {
    words: ['message', 'list'],
    group,
    summary: 'List the messages and how far each has come.',
    args: [],
    options: [
      { name: 'to', value: 'NAME', summary: 'Only those to this agent.' },
      { name: 'open', summary: 'Only those that are not settled.' },
    ],
    examples: ['agency message list --open'],
    agents: 'may',
    load: () => import('../message/list.ts'),
  },
  {
    words: ['message', 'show'],
    group,
    summary: 'Show a message, how far it has come and what was answered.',
    args: [id],
    options: [{ name: 'wait', summary: 'Until its turn has ended, or the response is there.' }],
    examples: ['agency message show m3k2 --wait'],
    agents: 'may',
    load: () => import('../message/show.ts'),
  },
  {
    words: ['message', 'withdraw'],
    group,
    summary: 'Take back a message that was not handed over yet.',
    args: [id],
    options: [],
    examples: ['agency message withdraw m3k2'],
    agents: 'never',
    load: () => import('../message/withdraw.ts'),
  },
]
