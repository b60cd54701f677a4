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
