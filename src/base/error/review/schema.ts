import type { Entries } from '../entry/schema.ts'

// The review gate: who may decide, and what there is to decide.
export const reviewErrors = {
  review_not_permitted: {
    status: 403,
    exit: 1,
    message: 'A verdict about session {session} is not permitted here: {why}.',
    safe: 'Nothing was decided: the gates are as they were. A try about a session that is known is recorded.',
    next: 'The reviewer decides with the secret it was given; in a shell of their own a person types `agency review decide {session} COMPLETE SUMMARY`.',
  },
  review_not_pending: {
    status: 409,
    exit: 1,
    message: 'Nothing of session {session} waits for a verdict: it is {state}.',
    safe: 'Nothing was changed.',
    next: 'Type `agency review list` to see what waits.',
  },
  review_unknown: {
    status: 404,
    exit: 1,
    message: 'No review of a session or agent "{session}" is known.',
    safe: 'Nothing was changed.',
    next: 'Type `agency review list` to see those that are.',
  },
  review_unclear: {
    status: 409,
    exit: 1,
    message: '"{session}" is the beginning of {count} sessions: {ids}.',
    safe: 'Nothing was changed.',
    next: 'Type more of the one you mean.',
  },
} as const satisfies Entries
