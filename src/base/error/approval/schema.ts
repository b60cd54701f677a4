import type { Entries } from '../entry/schema.ts'

export const approvalErrors = {
  approval_settled: {
    status: 409,
    exit: 1,
    message: 'Approval {id} needs no answer any more: {how}.',
    safe: 'Your answer changed nothing.',
    next: 'Type `agency approval list` to see what waits.',
  },
  approval_unclear: {
    status: 409,
    exit: 1,
    message: '"{agent}" waits for {count} answers: {ids}.',
    safe: 'Nothing was answered.',
    next: 'Name one of them; `agency approval list` shows what each is about.',
  },
  approval_no_rule: {
    status: 400,
    exit: 1,
    message: 'Approval {id} cannot be answered for always: {why}.',
    safe: 'Nothing was answered; it still waits.',
    next: 'Answer it without `--always`.',
  },
  approval_unconfirmed: {
    status: 400,
    exit: 1,
    message: 'The rule {rule} was not written into {file}: nobody confirmed it.',
    safe: 'Nothing was answered; approval {id} still waits.',
    next: 'Type it again with `--yes`, or with `--always session`.',
  },
} as const satisfies Entries
