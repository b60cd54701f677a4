import type { Entries } from '../entry/schema.ts'

export const keeperErrors = {
  keeper_not_started: {
    status: 500,
    exit: 1,
    message: 'The keeper of {agent} could not start: {why}',
    safe: 'The agent was not started.',
    next: 'Remove the cause and try again; `agency doctor` checks what a keeper needs.',
  },
  keeper_running: {
    status: 409,
    exit: 1,
    message: 'A keeper (process {pid}) already holds the session in {directory}.',
    safe: 'It was not disturbed.',
    next: 'Attach to the agent, or stop it first.',
  },
  keeper_gone: {
    status: 502,
    exit: 1,
    message: 'The keeper of {agent} does not answer ({why}).',
    safe: 'A keeper that ends takes its agent with it; what was said is in the transcript.',
    next: 'Type `agency list` to see what stands; a lost session can be resumed.',
  },
  keeper_version: {
    status: 409,
    exit: 1,
    message: 'The keeper of {agent} speaks version {theirs}, this agency version {ours}.',
    safe: 'The agent goes on undisturbed.',
    next: 'Use the agency that started it, or stop the agent and start it again.',
  },
  keeper_state: {
    status: 409,
    exit: 1,
    message: 'This cannot be done now: {why}.',
    safe: 'Nothing was changed.',
    next: 'Type `agency list` to see the state of the agent.',
  },
  program_missing: {
    status: 400,
    exit: 2,
    message: 'The program {program} cannot be run: {why}.',
    safe: 'Nothing was started.',
    next: 'Install it, or name it with its whole path.',
  },
  directory_missing: {
    status: 400,
    exit: 2,
    message: 'The directory {directory} to work in cannot be used: {why}.',
    safe: 'Nothing was started.',
    next: 'Create it, or choose another directory.',
  },
  input_full: {
    status: 503,
    exit: 1,
    message: 'The terminal of the agent takes no more input: the program in it does not read.',
    safe: 'What it took before will arrive; the rest was refused.',
    next: 'Wait, then send it again.',
  },
  typing_stopped: {
    status: 503,
    exit: 1,
    message: 'A message was typed to {agent} only in part: {why}.',
    safe: 'It is not typed a second time.',
    next: 'Type `agency attach {agent}` to see what arrived.',
  },
} as const satisfies Entries
