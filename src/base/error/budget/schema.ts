import type { Entries } from '../entry/schema.ts'

export const budgetErrors = {
  budget_exceeded: {
    status: 409,
    exit: 1,
    message: 'The budget of {who} is used up: {line}.',
    safe: 'Nothing was started; what was done so far is kept.',
    next: 'Type `{raise}` to let it go on.',
  },
  budget_unlimited: {
    status: 400,
    exit: 1,
    message: 'There is no limit of {measure} for {who}.',
    safe: 'Nothing was changed.',
    next: 'Type `agency budget show` to see which limits there are.',
  },
} as const satisfies Entries
