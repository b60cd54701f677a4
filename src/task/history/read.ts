// What is kept of a task, as it is asked for.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { readText } from '../../base/file/read.ts'
import type { Driver } from '../../driver/driver.ts'
import type { StreamEvent } from '../../driver/schema.ts'
import { placesOf } from '../../keeper/find.ts'
import type { TaskDebug } from '../api.ts'
import { limits, openFile, readAt } from './keep.ts'
import { findPlace, names } from './place.ts'
import { lastOf, logOf, mostLines } from './rules.ts'

/** The longest prompt with its project, each character four bytes long. */
const longestPrompt = 8 * 1024 * 1024

export const readPrompt = async (root: string, id: string, number: number): Promise<string | undefined> => {
  const place = await findPlace(root, id)
  if (place === undefined) return undefined
  const care = { limit: longestPrompt, nofollow: true }
  const read = await readText(join(place, names.prompt(number)), care)
  return 'text' in read ? read.text : undefined
}

/** From the first on, as far as they are kept. */
export const readPrompts = async (root: string, id: string): Promise<readonly string[]> => {
  const prompts: string[] = []
  for (;;) {
    const prompt = await readPrompt(root, id, prompts.length + 1)
    if (prompt === undefined) return prompts
    prompts.push(prompt)
  }
}

/** An attempt that still runs: its output is where its session is. */
export type Running = { readonly number: number; readonly session: string }

type Files = { readonly number: number; readonly stdout: string; readonly stderr: string }

/** Of each attempt, in order. */
const filesOf = async (root: string, id: string, running?: Running): Promise<readonly Files[]> => {
  const place = await findPlace(root, id)
  const found = place === undefined ? [] : await readdir(place)
  const kept = found.flatMap((name) => /^stdout-([1-9]\d{0,8})$/.exec(name)?.[1] ?? []).map(Number)
  const attempts = kept.map((number) => ({
    number,
    stdout: join(place ?? '', names.stdout(number)),
    stderr: join(place ?? '', names.stderr(number)),
  }))
  const now = running === undefined ? [] : [{ number: running.number, ...placesOf(running.session) }]
  const others = attempts.filter(({ number }) => number !== running?.number)
  return [...others, ...now].sort((one, other) => one.number - other.number)
}

type Tail = { readonly bytes: Buffer; readonly cut: boolean }

const tailOf = async (file: string, limit: number): Promise<Tail> => {
  const handle = await openFile(file)
  if (handle === undefined) return { bytes: Buffer.alloc(0), cut: false }
  try {
    const { size } = await handle.stat()
    return { bytes: await readAt(handle, Math.max(0, size - limit), size), cut: size > limit }
  } finally {
    await handle.close()
  }
}

/** Not from the middle of a character. */
const textOf = ({ bytes, cut }: Tail): string => {
  let from = 0
  while (cut && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.toString('utf8', from)
}

const [leastDebug, mostDebug] = [16 * 1024, 1024 * 1024]

/** The end of what it printed, at most `limit` bytes in all: the last attempts first. */
export const readDebug = async (
  root: string,
  id: string,
  limit: number,
  running?: Running,
): Promise<TaskDebug> => {
  let left = Math.min(Math.max(limit, leastDebug), mostDebug)
  const attempts: TaskDebug['attempts'] = []
  for (const { number, stdout, stderr } of [...(await filesOf(root, id, running))].reverse()) {
    const errors = await tailOf(stderr, Math.ceil(left / 4))
    left -= errors.bytes.length
    const output = await tailOf(stdout, left)
    left -= output.bytes.length
    const truncated = errors.cut || output.cut
    attempts.unshift({ number, stdout: textOf(output), stderr: textOf(errors), truncated })
  }
  return { task_id: id, attempts }
}

/** Between so many lines others have their turn. */
const breath = 200

const eventsIn = async (file: string, read: Driver['readStream']): Promise<readonly StreamEvent[]> => {
  const { bytes, cut } = await tailOf(file, limits.beginning + limits.end + 1024)
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .slice(cut ? 1 : 0)
  const events: StreamEvent[] = []
  for (const [index, line] of lines.entries()) {
    if (index % breath === 0) await turn()
    events.push(...read(line))
  }
  return events
}

/** What it did, over all its attempts: the last lines of it. */
export const readLog = async (
  root: string,
  id: string,
  driver: Pick<Driver, 'readStream'>,
  running?: Running,
): Promise<readonly string[]> => {
  const attempts = await filesOf(root, id, running)
  let lines: readonly string[] = []
  for (const { number, stdout } of [...attempts].reverse()) {
    const did = logOf(await eventsIn(stdout, driver.readStream))
    lines = [...(attempts.length > 1 ? [`attempt ${number}`] : []), ...did, ...lines]
    if (lines.length > mostLines) break
  }
  return lastOf(lines)
}
