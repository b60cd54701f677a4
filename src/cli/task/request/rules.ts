// A command line → what the agent is asked for. The rest of the checks are the host's.
import { milliseconds } from '../../../base/duration/rules.ts'
import type { QueueRequest, TaskRequest } from '../../../task/api.ts'
import type { Line } from '../../command/schema.ts'

/** One thing that was typed wrong. */
export type Wrong = { readonly value: string; readonly what: string; readonly expected: string }

type Typed = Pick<Line, 'values' | 'lists' | 'flags'>
type Environment = Readonly<Record<string, string | undefined>>

export const isWrong = (found: unknown): found is Wrong =>
  typeof found === 'object' && found !== null && 'expected' in found

const week = 604_800

export const secondsOf = (text: string): number | Wrong => {
  const seconds = Math.ceil(milliseconds(text) / 1000)
  if (seconds >= 1 && seconds <= week) return seconds
  return { value: text, what: '--timeout', expected: 'a time from 1s to 168h, such as 30m' }
}

const projectOf = (text: string): NonNullable<TaskRequest['project']> | Wrong => {
  const at = text.indexOf('=')
  if (at > 0) return { name: text.slice(0, at), prompt: text.slice(at + 1) }
  return { value: text, what: '--project', expected: 'NAME=PROMPT' }
}

type Pair = readonly [name: string, value: string]

/** What is wrong is told without the value, which may be a secret. */
const pairOf = (text: string, env: Environment): Pair | Wrong => {
  const at = text.indexOf('=')
  const name = at < 0 ? text : text.slice(0, at)
  const wrong = (expected: string): Wrong => ({ value: name, what: '--env', expected })
  if (!/^[A-Za-z_]\w*$/.test(name)) return wrong('NAME=VALUE, or the NAME of a variable of yours')
  const own = Object.hasOwn(env, name) ? env[name] : undefined
  const value = at < 0 ? own : text.slice(at + 1)
  return value === undefined ? wrong('NAME=VALUE, or the NAME of a variable that is set here') : [name, value]
}

/** As pairs: a variable may be called anything. */
const pairsOf = (given: readonly string[], env: Environment): readonly Pair[] | Wrong => {
  const pairs: Pair[] = []
  for (const text of given) {
    const pair = pairOf(text, env)
    if (isWrong(pair)) return pair
    const [name] = pair
    if (pairs.some(([other]) => other === name))
      return { value: name, what: '--env', expected: 'each name once' }
    pairs.push(pair)
  }
  return pairs
}

/** Without an agent it is for whoever fits; with one it waits for it where that is asked for. */
export const waitsInQueue = ({ values, flags }: Pick<Typed, 'values' | 'flags'>): boolean =>
  values.agent === undefined ||
  flags.has('queue') ||
  values.priority !== undefined ||
  values['not-before'] !== undefined

type Clock = {
  readonly now: number
  /** A time as people write it; NaN = it is none. */
  readonly parse: (text: string) => number
  readonly iso: (at: number) => string
}

/** Further off it was mistyped, and beyond it no date is left. */
const longest = 10 * 365 * 86_400_000

const whenOf = (text: string, { now, parse, iso }: Clock): string | Wrong => {
  const span = milliseconds(text)
  const at = span > 0 ? now + span : /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? parse(text) : Number.NaN
  // Compared this way round NaN is wrong too.
  if (at <= now + longest) return iso(at)
  return { value: text, what: '--not-before', expected: 'a time such as 2026-12-24T18:00, or 10m' }
}

const priorityOf = (text: string): number | Wrong =>
  /^-?\d{1,4}$/.test(text) && Math.abs(Number(text)) <= 1000
    ? Number(text)
    : { value: text, what: '--priority', expected: 'a whole number from -1000 to 1000' }

/** Which agents may do it, and when. Names are the host's to check. */
export const queuedOf = (
  { values, lists }: Pick<Typed, 'values' | 'lists'>,
  clock: Clock,
): Pick<QueueRequest, 'select' | 'priority' | 'not_before'> | Wrong => {
  const { agent, role, pod, priority: urgency, 'not-before': text } = values
  const { label: labels } = lists
  const priority = urgency === undefined ? undefined : priorityOf(urgency)
  if (isWrong(priority)) return priority
  const time = text === undefined ? undefined : whenOf(text, clock)
  if (isWrong(time)) return time
  const select = {
    ...(agent !== undefined && { agent }),
    ...(role !== undefined && { role }),
    ...(pod !== undefined && { pod }),
    ...(labels !== undefined && { labels: [...labels] }),
  }
  return {
    ...(Object.keys(select).length > 0 && { select }),
    ...(priority !== undefined && { priority }),
    ...(time !== undefined && { not_before: time }),
  }
}

/** Without the prompt and the key. */
export const requestOf = (
  { values, lists, flags }: Typed,
  env: Environment,
): Omit<TaskRequest, 'prompt' | 'idempotency_key'> | Wrong => {
  const seconds = values.timeout === undefined ? undefined : secondsOf(values.timeout)
  if (isWrong(seconds)) return seconds
  const project = values.project === undefined ? undefined : projectOf(values.project)
  if (isWrong(project)) return project
  const pairs = pairsOf(lists.env ?? [], env)
  if (isWrong(pairs)) return pairs
  return {
    ...(values.model !== undefined && { model: values.model }),
    ...(values.session !== undefined && { session_id: values.session }),
    ...(seconds !== undefined && { timeout_seconds: seconds }),
    ...(project !== undefined && { project }),
    ...(pairs.length > 0 && { env: Object.fromEntries(pairs) }),
    ...(flags.has('keep-open') && { keep_open: true }),
    ...(flags.has('resumable') && { resumable: true }),
  }
}
