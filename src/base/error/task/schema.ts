import type { Entries } from '../entry/schema.ts'

export const taskErrors = {
  agent_busy: {
    status: 409,
    exit: 1,
    message: 'The agent "{agent}" is busy: {why}.',
    safe: 'No task was made; what it does goes on undisturbed.',
    next: 'Try again when GET /agents/{agent}/status says idle, or send a message: `agency send {agent} TEXT`.',
  },
  agent_ended: {
    status: 409,
    exit: 1,
    message: 'The agent "{agent}" takes no task: it is {why}.',
    safe: 'No task was made.',
    next: 'Type `agency session resume {agent}`, then try again.',
  },
  not_taskable: {
    status: 409,
    exit: 1,
    message: 'The agent "{agent}" runs a command without a role: nothing would tell when a task is done.',
    safe: 'No task was made.',
    next: 'Launch an agent from a role (`agency run --role NAME`), or send this one a message: `agency send {agent} TEXT`.',
  },
  rate_limited: {
    status: 429,
    exit: 1,
    message: 'The agent "{agent}" is limited: {why}.',
    safe: 'No task was made.',
    next: 'Try again when that time is over, or give it to another agent: `agency list` shows them.',
  },
  session_past: {
    status: 409,
    exit: 1,
    message: 'The agent "{agent}" has left session {session}: it is in {current} now.',
    safe: 'No task was made.',
    next: 'Leave `session_id` out, or name the session it is in.',
  },
  idempotency_conflict: {
    status: 409,
    exit: 1,
    message: 'The idempotency key belongs to {task}, which was something else or is long over.',
    safe: 'That task is untouched; no other was made.',
    next: 'Give this task a key of its own.',
  },
  not_continuable: {
    status: 409,
    exit: 1,
    message: '{task} cannot be continued: {why}.',
    safe: 'It is unchanged.',
    next: 'Give a new task; with `session_id` it goes on with a session that the agent has.',
  },
  session_unsafe: {
    status: 409,
    exit: 1,
    message: 'The directory of session {session} is not used: {why}.',
    safe: 'No task was made, and nothing was changed there.',
    next: 'Look at it and move it away, or leave `session_id` out.',
  },
  history_unsafe: {
    status: 500,
    exit: 1,
    message: 'The history of {task} is not used: {path} is a link or a file, where its directory should be.',
    safe: 'Nothing was written or removed there.',
    next: 'Look at it, then move it away.',
  },
  already_completed: {
    status: 409,
    exit: 1,
    message: '{task} is over already: it is {final_state}.',
    safe: 'It is unchanged.',
    next: 'Ask for the task to see what came of it.',
  },
} as const satisfies Entries
