import type { Entries } from '../entry/schema.ts'

export const sandboxErrors = {
  sandbox_error: {
    status: 503,
    exit: 1,
    message: 'There can be no sandbox around "{agent}": {why}.',
    safe: 'Nothing was started: without its walls it never is.',
    next: '{fix}',
  },
} as const satisfies Entries
