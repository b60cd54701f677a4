import type { Entries } from '../entry/schema.ts'

export const agentErrors = {
  claude_missing: {
    status: 400,
    exit: 1,
    message: 'Claude Code cannot be started: {why}.',
    safe: 'Nothing was started.',
    next: 'Install it (`npm i -g @anthropic-ai/claude-code`), or set CLAUDE_BIN to the program.',
  },
  launch_failed: {
    status: 502,
    exit: 1,
    message: 'The agent "{agent}" did not start: {why}.',
    safe: 'What was made for it was removed again.',
    next: 'Remove the cause and try again; what its terminal showed last is printed here.',
  },
  agent_left: {
    status: 500,
    exit: 1,
    message: 'The agent "{agent}" has ended, but processes of it are still there: {who}.',
    safe: 'They were told to end and killed; the system did not let go of them.',
    next: 'Look at them with `ps`; `agency kill --all` tries again.',
  },
  session_unknown: {
    status: 404,
    exit: 1,
    message: 'There is no session of "{agent}" to {what}: {why}.',
    safe: 'Nothing was started.',
    next: 'Type `agency session list` to see the sessions there are, or `agency run` to launch a new agent.',
  },
} as const satisfies Entries
