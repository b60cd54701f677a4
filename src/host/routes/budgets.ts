// The answers about budgets.
import { budgets as api, type BudgetLine } from '../../budget/api.ts'
import type { Budgets } from '../../budget/book.ts'
import type { Line } from '../../budget/rules.ts'
import { type Route, route } from '../http/route.ts'

const shown = ({ scope: who, measure: limit, level: state, ...line }: Line): BudgetLine => ({
  who,
  limit,
  ...line,
  state,
})

export const budgetRoutes = (budgets: Budgets): readonly Route[] => [
  route(api.list, ({ query: { agent } }) => {
    const lines = agent === undefined ? budgets.lines() : budgets.linesOf(agent)
    return { budgets: lines.map(shown) }
  }),
  route(api.raise, async ({ body: { who, more, by = 'api' } }) => ({
    budgets: (await budgets.raise(who, more, by)).map(shown),
  })),
  route(api.limit, async ({ body: { pod, budget } }) => {
    await budgets.limit(`pod/${pod}`, Object.keys(budget).length === 0 ? [] : [budget])
    return {
      budgets: budgets
        .lines()
        .filter(({ scope }) => scope === `pod/${pod}`)
        .map(shown),
    }
  }),
]
