// The person's terminal while an agent uses it. However the command ends, it is given back as it was.
import { setTimeout as wait } from 'node:timers/promises'
import { fail, failure } from '../../base/error/fail.ts'
import type { Size } from '../../keeper/schema.ts'
import type { Call, Io } from '../io.ts'

export type Window = {
  write(bytes: Uint8Array | string): void
  size(): Size
  onTyped(hear: (bytes: Buffer) => void): void
  onResized(hear: () => void): void
  /** Rejects when the terminal is gone. */
  readonly gone: Promise<never>
}

/** Answers of the terminal to questions of the agent that come too late for it must not reach the shell. */
const lateAnswers = 50

const within = (value: number | undefined, otherwise: number): number =>
  Math.min(1000, Math.max(1, value || otherwise))

export const hasTerminal = ({ stdin, stdout }: Io): boolean => stdin.isTTY === true && stdout.isTTY === true

export const needTerminal = ({ io }: Call, agent: string): void => {
  if (hasTerminal(io)) return
  fail('missing_argument', {
    command: 'agency attach',
    what: 'a terminal as its input and output',
    hint: `Use \`agency peek ${agent}\` to see its screen, or \`agency logs ${agent} --follow\` to follow it.`,
  })
}

/** `last` = what must be written at the end. */
export const takeWindow = ({ io, defer }: Call, last: () => string): Window => {
  const stdin = io.stdin as NodeJS.ReadStream
  const stdout = io.stdout as NodeJS.WriteStream
  let resized = (): void => {}
  let typed = (_: Buffer): void => {}
  let told = (_: Error): void => {}
  const gone = new Promise<never>((_, reject) => {
    told = reject
  })
  // Whoever does not wait for it must not be ended by it.
  gone.catch(() => {})

  const onData = (bytes: Buffer): void => typed(bytes)
  const onResize = (): void => resized()
  // Whoever stopped us has used the terminal since.
  const onContinued = (): void => {
    stdin.setRawMode(false)
    stdin.setRawMode(true)
    resized()
  }
  const onEnd = (): void => told(failure('interrupted', { signal: 'SIGHUP' }))

  let given = false
  const say = (): void => {
    if (given) return
    given = true
    stdout.write(last())
  }
  const calm = (): void => {
    stdin.setRawMode(false)
    stdin.pause()
  }
  // The last resort, for what nobody foresaw.
  const onExit = (): void => {
    say()
    calm()
  }
  const giveBack = async (): Promise<void> => {
    typed = () => {}
    say()
    if (!stdin.destroyed) await wait(lateAnswers)
    stdout.off('resize', onResize)
    for (const event of ['end', 'close', 'error'] as const) stdin.off(event, onEnd)
    stdin.on('error', () => {
      // It is gone; so are we.
    })
    stdin.off('data', onData)
    calm()
    io.signals.off('exit', onExit)
    io.signals.off('SIGCONT', onContinued)
  }

  io.signals.on('exit', onExit)
  io.signals.on('SIGCONT', onContinued)
  defer(giveBack)
  stdin.setRawMode(true)
  for (const event of ['end', 'close', 'error'] as const) stdin.on(event, onEnd)
  stdin.on('data', onData)
  stdin.resume()
  stdout.on('resize', onResize)

  return {
    write: (bytes) => void (given || stdout.write(bytes)),
    size: () => ({ columns: within(stdout.columns, 80), rows: within(stdout.rows, 24) }),
    onTyped: (hear) => {
      typed = hear
    },
    onResized: (hear) => {
      resized = hear
    },
    gone,
  }
}
