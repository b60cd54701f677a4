import type { Entries } from '../entry/schema.ts'

export const messageErrors = {
  message_conflict: {
    status: 409,
    exit: 1,
    message: 'There is another message with the id "{id}".',
    safe: 'That message is untouched; this one was not sent.',
    next: 'Send it again under another id, or without one.',
  },
  message_to_self: {
    status: 400,
    exit: 1,
    message: '"{agent}" cannot send a message to itself.',
    safe: 'Nothing was sent.',
    next: 'Name another agent; `agency list` shows them.',
  },
  message_not_asked: {
    status: 400,
    exit: 1,
    message: 'The message "{id}" expects no response from "{from}" to "{to}".',
    safe: 'Nothing was sent.',
    next: 'Send it without `--closes`, or look at `agency message show {id}`.',
  },
  message_begun: {
    status: 409,
    exit: 1,
    message: 'The message "{id}" cannot be withdrawn: it is {life}.',
    safe: 'It is unchanged.',
    next: 'Type `agency message show {id}`; a message in the lane `interrupt` ends the running turn.',
  },
} as const satisfies Entries
