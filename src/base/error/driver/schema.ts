import type { Entries } from '../entry/schema.ts'

export const driverErrors = {
  cli_version_unknown: {
    status: 502,
    exit: 1,
    message: '`claude --version` did not print a version of Claude Code: {text}',
    safe: 'Nothing was started.',
    next: 'Install it (`npm i -g @anthropic-ai/claude-code`), or set CLAUDE_BIN to the right program.',
  },
  cli_too_old: {
    status: 502,
    exit: 1,
    message: 'Claude Code {version} is too old: its hooks were never tested with agency.',
    safe: 'Nothing was started.',
    next: 'Install version {oldest} or newer: `npm i -g @anthropic-ai/claude-code@latest`.',
  },
  launch_refused: {
    status: 400,
    exit: 2,
    message: 'The launch of "{agent}" was refused.',
    safe: 'Nothing was started.',
    next: 'Correct the role or the command line and try again.',
  },
} as const satisfies Entries
