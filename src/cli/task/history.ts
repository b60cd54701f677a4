// `agency history`: the tasks of all agents, newest first, a page at a time.
import { fail } from '../../base/error/fail.ts'
import type { Call, Handler } from '../io.ts'
import { summaries, tasksOf } from './look.ts'
import { tableOf } from './told/rules.ts'

const numberOf = ({ values }: Call, name: 'limit' | 'page', usual: number, most: number): number => {
  const text = values[name] ?? String(usual)
  const number = Number(text)
  if (/^[1-9]\d{0,5}$/.test(text) && number <= most) return number
  const expected = `a whole number from 1 to ${most}`
  return fail('bad_value', {
    value: text,
    what: `--${name}`,
    expected,
    hint: 'Type `agency history --help`.',
  })
}

export const run: Handler = async (call) => {
  const limit = numberOf(call, 'limit', 20, 100)
  const page = numberOf(call, 'page', 1, 100_000)
  const { tasks: all } = await tasksOf(call)
  const total = all.length
  const tasks = summaries(all.slice((page - 1) * limit, page * limit))
  const last = Math.ceil(total / limit)
  const more = page < last ? [`Page ${page} of ${last}: type \`agency history --page ${page + 1}\`.`] : []
  const none = total === 0 ? 'No tasks yet.' : `There are only ${last} pages.`
  return {
    data: { tasks, page, limit, total },
    lines: tasks.length === 0 ? [none] : [...tableOf(tasks), ...more],
  }
}
