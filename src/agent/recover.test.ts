import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openApprovals } from '../approval/desk.ts'
import { openLog } from '../base/log/open.ts'
import { openBudgets } from '../budget/book.ts'
import { fact } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import { openDesk } from '../message/desk.ts'
import { launchFact } from '../session/record/rules.ts'
import { launched } from '../session/rules.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { openBook } from '../task/book.ts'
import { giveOf } from '../task/give.ts'
import { recover } from './recover.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 1e9 })

test('a task whose session was over before the host went is over too, and is not typed into the next', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agency-recover-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const log = openLog({
    file: join(root, 'log'),
    component: 'host',
    level: () => 'info',
    now: () => new Date(0),
  })
  onTestFinished(() => log.close())
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(() => store.close())
  const [append, now] = [(facts: readonly Fact[]) => store.append(facts), () => 5]
  const record = (...facts: readonly Fact[]): void => void store.append(facts)
  const desk = await openDesk({ store, record, now })
  const book = await openBook({ store, record })
  const session = () => ({ ...born, started: true })
  const prompt = async () => undefined
  const approvals = await openApprovals({ store, now, log, mask: async () => (text) => text })
  onTestFinished(approvals.close)
  const id = await giveOf({ prompt, agent: 'coder', book, desk, session, now }).give({ prompt: 'x' })
  const { turns, usage } = born
  await append([
    launchFact('s', { agent: 'coder', managed: true, cwd: '/', overrides: {}, turns, usage }),
    fact('session.changed', 's', { state: { name: 'exited', code: 0, signal: null }, turns, usage }),
  ])
  const [written, freed] = [async () => true, () => {}]
  const budgets = await openBudgets({ store, record, written, now, limits: [] })
  onTestFinished(budgets.close)
  const lives = await recover({
    root,
    store,
    reportMs: 1,
    now,
    record,
    append,
    written,
    desk,
    book,
    freed,
    approvals,
    works: {
      of: () => expect.fail('nothing lives'),
      begins: () => expect.fail('nothing begins'),
      find: async () => undefined,
    },
    reviewers: { of: () => async () => ({ verdict: 'ask', reason: '' }), close: () => {} },
    budgets,
    log,
  })
  expect(lives).toEqual([])
  expect(await book.find('coder', id)).toMatchObject({ state: 'interrupted', endedAt: 5 })
  expect(desk.find(id).life).toBe('withdrawn')
})
