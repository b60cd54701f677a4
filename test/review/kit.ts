// Reviews in the store of a root, as hooks would have made them; before a host opens it, or in the gate's own file.
import { existsSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { layout } from '../../src/config/layout/rules.ts'
import { openReviews, type Reviews, type SessionReviews } from '../../src/review/desk.ts'
import type { ReviewFile } from '../../src/review/schema.ts'
import { settingOf } from '../../src/review/setting/rules.ts'
import { reduceOf } from '../../src/state/rules.ts'
import { openStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'

export const place = { cwd: '/w', tree: '/w', home: '/h' }
export const closing = (number: number) => ({
  id: `call-${number}`,
  tool: 'Bash',
  input: { command: `gh issue close ${number}` },
})

export const written = {
  reviewer: 'subagent',
  gates: { tools: ['Bash:gh issue close*'] },
} as const satisfies ReviewFile

export type Desk = {
  readonly store: Store
  readonly reviews: Reviews
  readonly of: (session: string, more?: ReviewFile) => SessionReviews
  readonly close: () => Promise<void>
  /** What the clock of this desk says; the test moves it. */
  readonly clock: { at: number }
}

export const deskOn = async (file: string, at = Date.now(), path?: string): Promise<Desk> => {
  const clock = { at }
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date(clock.at) })
  onTestFinished(() => store.close())
  const reviews = openReviews({
    store,
    now: () => clock.at,
    chance: () => 0,
    ...(path !== undefined && { path }),
  })
  const of: Desk['of'] = (session, more = written) =>
    reviews.of(session, async () => settingOf(more, undefined))
  return { store, reviews, of, close: () => store.close(), clock }
}

/** Of plain Claude Code with the plugin. */
export const gateFile = (root: string): Promise<Desk> => deskOn(layout(root).gateStore)

/** Of a host that is not up yet. */
export const hostFile = async (root: string): Promise<Desk> => {
  expect(existsSync(layout(root).host)).toBe(false)
  return deskOn(layout(root).store)
}

/** The secret that the reviewer of this session is given. */
export const secretOf = async (one: SessionReviews, id = 'roz-1'): Promise<string> => {
  const told = (await one.spawned({ id })) ?? expect.fail('nothing waits for a reviewer')
  return /--secret (\w+)/.exec(told)?.[1] ?? expect.fail('it was told no secret')
}
