import type { Entries } from '../entry/schema.ts'

// Bad input of any surface: command line, file or request.
export const inputErrors = {
  validation_error: {
    status: 400,
    exit: 2,
    message: '{what}',
    safe: 'Nothing was changed.',
    next: 'Correct it and try again.',
  },
  not_found: {
    status: 404,
    exit: 1,
    message: 'There is no {what}.',
    safe: 'Nothing was changed.',
    next: '{see}',
  },
  internal: {
    status: 500,
    exit: 1,
    message: 'agency made a mistake: {what}',
    safe: 'What was acknowledged before is stored.',
    next: 'Please report it with the last lines of agency.log.',
  },
} as const satisfies Entries
