// `agency budget raise`: a person lets it go on.
import { userInfo } from 'node:os'
import { fail } from '../../base/error/fail.ts'
import { whose } from '../../budget/told/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { hostFor } from '../agent/ask.ts'
import type { Call, Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { type OptionName, options, readMore } from './amount/rules.ts'
import { askRaise } from './ask.ts'
import { tableOf } from './told/rules.ts'
import { scopeOf } from './who.ts'

const moreIn = ({ values }: Call): Readonly<Record<string, number>> => {
  const given = (Object.keys(options) as OptionName[]).flatMap((name) => {
    const text = values[name]
    if (text === undefined) return []
    const read = readMore(name, text)
    return 'problem' in read
      ? fail('validation_error', { what: `${read.problem}.` })
      : [[options[name], read.value] as const]
  })
  if (given.length === 0)
    fail('validation_error', {
      what: `Nothing is raised: name one of --${Object.keys(options).join(', --')}.`,
    })
  return Object.fromEntries(given)
}

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const who = scopeOf(call.values.who ?? '')
  const more = moreIn(call)
  const budgets = await askRaise(await hostFor(root, call), { who, more, by: userInfo().username })
  const spent = budgets.some(({ state }) => state === 'reached')
  const next = spent
    ? 'Another of its limits is reached.'
    : 'It goes on with what it is told next: a message, `agency task continue`, or what you type.'
  return {
    data: { who, budgets },
    lines: [`The budget of ${whose(who)} is raised.`, ...tableOf(budgets), next],
  }
}
