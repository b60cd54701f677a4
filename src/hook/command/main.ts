// `node hook.cjs <event>`, called by Claude Code for the events that HTTP hooks do not reach.
import { runHook } from '../run.ts'
import { eventOf, type Reply, refuse } from './rules.ts'

const word = process.argv[2]

const leave = ({ exit, stdout, stderr }: Reply): void => {
  if (stderr !== '') process.stderr.write(`${stderr}\n`)
  // Not even opened when there is nothing to say: that alone takes a millisecond.
  if (stdout === '') process.exit(exit)
  // An answer that cannot be written is none, and no answer would allow: all that is left is the exit code.
  process.stdout.on('error', () => process.exit(2))
  process.stdout.write(`${stdout}\n`, (error) => process.exit(error ? 2 : exit))
}

const trip = (error: unknown): void =>
  leave(refuse(eventOf(word), `the hook itself failed (${String(error)})`))
process.on('uncaughtException', trip)

runHook(word, { stdin: process.stdin, env: process.env }).then(leave, trip)
