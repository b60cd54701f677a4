import type { Entries } from '../entry/schema.ts'

// What a command line can get wrong. `hint` ends each with the thing to type.
const usageErrors = {
  unknown_command: {
    status: 400,
    exit: 2,
    message: 'agency has no command "{word}".',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  unknown_option: {
    status: 400,
    exit: 2,
    message: '`{command}` has no option "{option}".',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  missing_value: {
    status: 400,
    exit: 2,
    message: 'The option {option} of `{command}` needs a value.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  empty_value: {
    status: 400,
    exit: 2,
    message: 'The value of {what} is empty.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  unexpected_value: {
    status: 400,
    exit: 2,
    message: 'The option {option} of `{command}` takes no value.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  option_twice: {
    status: 400,
    exit: 2,
    message: 'The option {option} of `{command}` was given twice.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  missing_argument: {
    status: 400,
    exit: 2,
    message: '`{command}` needs {what}.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  unexpected_argument: {
    status: 400,
    exit: 2,
    message: '`{command}` does not expect {what}.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
  bad_value: {
    status: 400,
    exit: 2,
    message: '"{value}" is no good for {what}: expected {expected}.',
    safe: 'Nothing was started or changed.',
    next: '{hint}',
  },
} as const satisfies Entries

// Bad input of any surface: command line, file or request.
export const inputErrors = {
  ...usageErrors,
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
  name_in_use: {
    status: 409,
    exit: 1,
    message: 'An agent called "{name}" is already running.',
    safe: 'It was not disturbed.',
    next: 'Choose another --name, attach to it (`agency attach {name}`) or end it (`agency stop {name}`).',
  },
  person_only: {
    status: 403,
    exit: 1,
    message: 'Only a person may type `{command}`; this shell belongs to the agent "{agent}".',
    safe: 'Nothing was changed.',
    next: 'Ask the person who runs this agency to type it.',
  },
  launch_not_delegated: {
    status: 403,
    exit: 1,
    message: 'The agent "{agent}" may not launch this: {why}.',
    safe: 'Nothing was started.',
    next: 'Ask the person who runs this agency to launch it.',
  },
  refused_by_system: {
    status: 500,
    exit: 1,
    message: 'The operating system refused: {what}',
    safe: 'What was acknowledged before is stored.',
    next: 'Remove the cause (`agency doctor` looks for the usual ones), then try again.',
  },
  still_there: {
    status: 504,
    exit: 1,
    message: 'After {seconds} s {what} has not ended.',
    safe: 'It was asked to end and may still do so; nothing was killed.',
    next: 'Type `agency status` to look again, or `agency kill --all` to end everything of this root.',
  },
  claim_untrue: {
    status: 500,
    exit: 1,
    message: 'Not true here: "{claim}". Seen instead: {seen}.',
    safe: 'Your own root was not touched; the temporary one of the demo is removed.',
    next: 'Type `agency doctor`; if it finds nothing, please report this with its output.',
  },
  directory_gone: {
    status: 500,
    exit: 1,
    message: 'The directory this was typed in no longer exists.',
    safe: 'Nothing was started or changed.',
    next: 'Type `cd` to one that does, then try again.',
  },
  interrupted: {
    status: 499,
    exit: 1,
    message: 'Interrupted ({signal}).',
    safe: 'What was acknowledged before is stored.',
    next: 'Type `agency status` to see what runs.',
  },
  internal: {
    status: 500,
    exit: 1,
    message: 'agency made a mistake: {what}',
    safe: 'What was acknowledged before is stored.',
    next: 'Please report it with the last lines of agency.log.',
  },
} as const satisfies Entries

export type UsageCode = keyof typeof usageErrors
