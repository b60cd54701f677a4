// The state file `.claude.json`, filled in so that no first-run dialog appears: pasted text would answer it.
import type { Order } from '../../schema.ts'

type Table = Readonly<Record<string, unknown>>

const table = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** The CLI keeps only the end of a key it was told to trust. */
export const keyMark = (key: string): string => key.slice(-20)

const keyAnswers = (before: unknown, key: string): Table => {
  const mark = keyMark(key)
  const { approved, rejected } = table(before)
  return {
    approved: [...new Set([...texts(approved), mark])],
    rejected: texts(rejected).filter((other) => other !== mark),
  }
}

/**
 * Keeps whatever the file holds. Trusting the directory is right here: who launched the agent chose it.
 * Skipping permissions is accepted only where the order itself says so.
 */
export const seed = (order: Pick<Order, 'cwd' | 'permissionMode' | 'state'>, key?: string): Table => {
  const before = table(order.state)
  const projects = table(before.projects)
  return {
    theme: 'dark',
    ...before,
    hasCompletedOnboarding: true,
    ...(key ? { customApiKeyResponses: keyAnswers(before.customApiKeyResponses, key) } : {}),
    ...(order.permissionMode === 'bypassPermissions' ? { bypassPermissionsModeAccepted: true } : {}),
    projects: { ...projects, [order.cwd]: { ...table(projects[order.cwd]), hasTrustDialogAccepted: true } },
  }
}
