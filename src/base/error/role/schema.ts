import type { Entries } from '../entry/schema.ts'

// Roles and pods: files that people write, and what they ask of them.
export const roleErrors = {
  role_not_found: {
    status: 404,
    exit: 2,
    message: 'There is no role "{name}"{meant}.',
    safe: 'Nothing was started.',
    next: 'Type `agency role list` to see the roles, or `agency role init {name}` to make it.',
  },
  role_invalid: {
    status: 400,
    exit: 2,
    message: 'The role "{name}" is not valid.',
    safe: 'Nothing was started, and no file was touched.',
    next: 'Correct it, then type `agency role check {name}`.',
  },
  role_exists: {
    status: 409,
    exit: 1,
    message: 'The role "{name}" exists already: {file}.',
    safe: 'The file was not touched.',
    next: 'Edit it, or choose another name.',
  },
  override_invalid: {
    status: 400,
    exit: 2,
    message: 'The override was refused: {what}',
    safe: 'Nothing was started.',
    next: 'Type it as `--override key=value`; `agency role show {name}` shows the keys.',
  },
  switch_interrupts: {
    status: 409,
    exit: 1,
    message: 'Switching "{agent}" from {from} to {to} would interrupt what it does.',
    safe: 'Nothing was changed; it works on as {from}.',
    next: 'Type `agency role switch {agent} {to} --yes` (or send `confirm: true`), or wait until it is idle.',
  },
  switch_running: {
    status: 409,
    exit: 1,
    message: 'The role of "{agent}" is being switched to {to} already.',
    safe: 'That goes on.',
    next: 'Try again when it is done: `agency list` shows the role of each agent.',
  },
  switch_stopped: {
    status: 502,
    exit: 1,
    message: 'The agent "{agent}" was stopped and did not start again as {to}: {why}.',
    safe: 'Its conversation is kept, and nothing of the process before is left.',
    next: 'Type `agency session resume {agent}` to try again as {to}; `agency role switch {agent} ROLE` before that chooses another role.',
  },
  role_not_switchable: {
    status: 409,
    exit: 1,
    message: 'The role of "{agent}" cannot be switched: {why}.',
    safe: 'Nothing was changed; it works on as before.',
    next: 'Launch another agent with that role: `agency run --role ROLE`.',
  },
  pod_not_found: {
    status: 404,
    exit: 2,
    message: 'There is no pod template "{name}"{meant}.',
    safe: 'Nothing was started.',
    next: 'Templates lie in pods/templates; `agency pod list` shows them.',
  },
  pod_invalid: {
    status: 400,
    exit: 2,
    message: 'The pod template "{name}" is not valid.',
    safe: 'Nothing was started, and no file was touched.',
    next: 'Correct it, then type `agency validate {file}`.',
  },
} as const satisfies Entries
