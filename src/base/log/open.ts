// A log of JSON lines that keeps the last thousand. Each line is on its way to the disk before the call
// returns, so a killed process loses none. Logging never fails its caller: what cannot be written
// (disk full) is counted and said in the next line that can.
import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { maskOf } from '../secret/rules.ts'
import { lastLines, redact } from './rules.ts'
import { type Level, type Line, levels } from './schema.ts'

type Say = (message: string, facts?: Readonly<Record<string, unknown>>) => void
export type Log = Readonly<Record<Level, Say>> & {
  /** The lines written since this log was opened, the last hundred of them. */
  recent(): readonly Line[]
  close(): void
}

export type LogOptions = {
  readonly file: string
  readonly component: string
  /** Asked at each line, so that a changed setting holds at once. */
  readonly level: () => Level
  readonly now: () => Date
  readonly keep?: number
  /** Values that are never written, in whatever form. */
  readonly secrets?: readonly string[]
}

const shown = 100
/** The log may outgrow what it keeps by this share before it is rewritten: rewriting costs. */
const slack = 0.25

const readIfThere = (file: string): string => {
  const facts = statSync(file, { throwIfNoEntry: false })
  // To open a FIFO would be to wait for its other end.
  if (facts && !facts.isFile()) throw new Error(`${file} is not a regular file`)
  return facts ? readFileSync(file, 'utf8') : ''
}

export const openLog = (options: LogOptions): Log => {
  const { file, component, level, now, keep = 1000 } = options
  const mask = maskOf(options.secrets ?? [])
  const memory: Line[] = []
  let handle: number | undefined
  let count = 0
  let torn = false
  let dropped = 0

  const open = (): void => {
    const text = readIfThere(file)
    count = lastLines(text, Number.MAX_SAFE_INTEGER).count
    // A crash may have cut the last line: the next one must not be glued to it.
    torn = text !== '' && !text.endsWith('\n')
    handle = openSync(file, 'a', 0o600)
  }

  const shut = (): void => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }

  const roll = (): void => {
    const kept = lastLines(readIfThere(file), keep)
    // Beside it and renamed: at every moment one whole log is there.
    writeFileSync(`${file}.new`, kept.text, { mode: 0o600 })
    renameSync(`${file}.new`, file)
    shut()
    open()
  }

  const put = (text: string): void => {
    if (handle === undefined) open()
    const whole = Buffer.from(torn ? `\n${text}` : text)
    const written = writeSync(handle as unknown as number, whole)
    torn = written < whole.length
    if (torn) throw new Error('the disk took only a part of the line')
    count += 1
    if (count > keep * (1 + slack)) roll()
  }

  const write = (line: Line): void => {
    try {
      const late = dropped > 0 ? { ...line, lines_dropped_before: dropped } : line
      put(`${JSON.stringify(late)}\n`)
      dropped = 0
    } catch {
      // Counted; the work that is logged goes on.
      dropped += 1
    }
  }

  const say =
    (at: Level): Say =>
    (message, facts = {}) => {
      if (levels.indexOf(at) < levels.indexOf(level())) return
      const known = { timestamp: now().toISOString(), level: at, component, message }
      const line = redact({ ...known, ...facts, ...known }, mask) as Line
      memory.push(line)
      if (memory.length > shown) memory.shift()
      write(line)
    }

  return {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    recent: () => [...memory],
    close: shut,
  }
}
