// The questions this command line has about budgets.
import type { BudgetLine, budgets } from '../../budget/api.ts'
import type { More, Scope } from '../../budget/schema.ts'
import { type Client, call } from '../../client/call.ts'
import { route } from '../../client/route.ts'
import type { Budget } from '../../role/budget/schema.ts'

const list = route<typeof budgets.list>('GET', '/budgets')
const raise = route<typeof budgets.raise>('POST', '/budgets/raise')
const limit = route<typeof budgets.limit>('POST', '/budgets/pod')

export const askBudgets = async (client: Client, agent: string | undefined): Promise<readonly BudgetLine[]> =>
  (await call(client, list, { query: agent === undefined ? {} : { agent } })).budgets

export const askRaise = async (
  client: Client,
  body: { readonly who: Scope; readonly more: More; readonly by: string },
): Promise<readonly BudgetLine[]> => (await call(client, raise, { body })).budgets

/** What a pod may use; nothing = whatever it needs. */
export const askLimit = async (client: Client, pod: string, budget: Budget): Promise<void> => {
  await call(client, limit, { body: { pod, budget } })
}
