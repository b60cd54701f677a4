// A command line → what the agent is asked for. The rest of the checks are the host's.
import { milliseconds } from '../../../base/duration/rules.ts'
import type { TaskRequest } from '../../../task/api.ts'
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
