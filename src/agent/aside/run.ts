// One process that answers one question: its output bounded, its time too, and nothing of it left when it is over.
import { type ChildProcess, spawn } from 'node:child_process'
import { nothing, readCut, split } from '../../driver/claude/stream/rules.ts'
import type { Exit, Launch, StreamEvent } from '../../driver/schema.ts'
import { cookieName, members } from '../../keeper/members.ts'
import { sweep } from '../../keeper/sweep.ts'

export type Ran = {
  readonly events: readonly StreamEvent[]
  /** As it came, from its beginning. */
  readonly text: string
  readonly exit: Exit
  /** Why it was ended before it had answered. */
  readonly broken?: string
}

export type Running = {
  readonly launch: Pick<Launch, 'argv' | 'env' | 'stdin'>
  readonly cwd: string
  /** What its processes are known by, wherever they go. */
  readonly cookie: string
  readonly deadline: number
  /** Nobody wants the answer any more. */
  readonly signal: AbortSignal
  /** Its input ends then: what it needs to answer is there. */
  readonly ready?: Promise<void>
  /** Of what it prints, in characters. */
  readonly most?: number
  /** Of the rest it is enough that it came. */
  readonly keep?: (event: StreamEvent) => boolean
}

/** An answer is a few lines. */
const fewLines = 1024 * 1024
const longestLine = 256 * 1024
/** Each is looked at, and the host does nothing else meanwhile. */
const mostLines = 20_000
/** Whoever holds its pipes open must not hold us up. */
const lastWords = 1_000

const kill = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended in this moment.
  }
}

/** What left its group is found by the cookie. */
export const endAll = async (cookie: string): Promise<void> => {
  const belonging = { cookie, except: [process.pid] }
  await sweep(members(belonging), belonging)
}

const attend = (child: ChildProcess, running: Running): Promise<Ran> =>
  new Promise((resolve) => {
    const { launch, deadline, signal, ready, most = fewLines, keep = () => true } = running
    const events: StreamEvent[] = []
    let [text, stderr, rest, size, lines] = ['', '', nothing, 0, 0]
    let broken: string | undefined
    let over = false

    const finish = (code: number | null, by: NodeJS.Signals | null): void => {
      if (over) return
      over = true
      clearTimeout(late)
      signal.removeEventListener('abort', leave)
      const last = split(rest, '\n', longestLine).lines.flatMap(readCut)
      resolve({
        events: [...events, ...last.filter(keep)],
        text,
        exit: { code, signal: by, stderr },
        ...(broken === undefined ? {} : { broken }),
      })
    }
    const stop = (why: string): void => {
      broken ??= why
      kill(child)
      // Not waited for: a process stuck in the kernel never says that it ended.
      finish(null, 'SIGKILL')
    }
    const late = setTimeout(() => stop('did not answer in time'), deadline)
    const leave = (): void => stop('is not needed any more')
    signal.addEventListener('abort', leave, { once: true })

    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      size += piece.length
      if (over) return
      if (size > most) return stop('printed too much')
      if (text.length < longestLine) text += piece
      const found = split(rest, piece, longestLine)
      rest = found.rest
      lines += found.lines.length
      if (lines > mostLines) return stop('printed too much')
      events.push(...found.lines.flatMap(readCut).filter(keep))
    })
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      stderr = `${stderr}${piece}`.slice(0, 16 * 1024)
    })
    child.once('error', (error) => {
      broken ??= `cannot be started: ${error.message}`
      finish(null, null)
    })
    child.once('close', finish)
    child.once('exit', (code, by) => setTimeout(() => finish(code, by), lastWords).unref())
    // One that ends without reading says so by its exit code.
    child.stdin?.on('error', () => undefined)
    child.stdin?.write(launch.stdin ?? '')
    if (ready === undefined) child.stdin?.end()
    else void ready.then(() => child.stdin?.end())
    if (signal.aborted) leave()
  })

export const runOnce = async (running: Running): Promise<Ran> => {
  const [program = '', ...args] = running.launch.argv
  const child = spawn(program, args, {
    cwd: running.cwd,
    env: { ...running.launch.env, [cookieName]: running.cookie },
    stdio: 'pipe',
    detached: true,
  })
  try {
    return await attend(child, running)
  } finally {
    child.stdout?.destroy()
    child.stderr?.destroy()
    await endAll(running.cookie)
  }
}
