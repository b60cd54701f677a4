// What a credential must look like, and whom a forge says it belongs to. No text made here holds a value.
import { oneLine } from '../../base/text/rules.ts'
import type { CredentialName, Identity } from './schema.ts'

// Forms change with their makers: one that is not known is odd, not wrong.
const shapes: Readonly<Record<CredentialName, { form: RegExp; like: string }>> = {
  'claude-token': { form: /^sk-ant-[\w-]{20,}$/, like: 'sk-ant-…' },
  'github-token': {
    form: /^(gh[pousr]_\w{20,}|github_pat_\w{20,}|[0-9a-f]{40})$/,
    like: 'ghp_… or github_pat_…',
  },
  'gitlab-token': { form: /^gl[a-z]{2,6}-[\w.-]{10,}$/, like: 'glpat-…' },
}

/** Why this cannot be a token; undefined if it can. What is judged is trimmed already. */
export const badValue = (value: string): string | undefined => {
  if (value === '') return 'is empty'
  if (value.length > 4096) return 'is longer than 4096 characters'
  if (/[\r\n]/.test(value)) return 'has more than one line'
  if (/[\u0000-\u001f\u007f]/.test(value)) return 'has control characters'
  if (/[^\u0021-\u007e]/.test(value)) return 'has blanks or characters that no token has'
  return undefined
}

export const oddValue = (name: CredentialName, value: string): string | undefined =>
  shapes[name].form.test(value) ? undefined : `does not look like ${shapes[name].like}`

const text = (value: unknown): string | undefined => {
  const said = typeof value === 'string' ? oneLine(value, 200).replace(/[<>]/g, '').trim() : ''
  return said === '' ? undefined : said
}

type Fields = Readonly<Record<string, unknown>>

const mailbox = (value: unknown): string | undefined => {
  const said = text(value)
  return said !== undefined && /^[^\s@]+@[^\s@]+$/.test(said) ? said : undefined
}

/**
 * Who a forge's `GET /user` says this is. A hidden address becomes the one that `site` (github.com) keeps for it.
 */
export const identityOf = (forge: 'github' | 'gitlab', site: string, user: unknown): Identity | undefined => {
  if (typeof user !== 'object' || user === null) return undefined
  const said = user as Fields
  const login = text(forge === 'github' ? said.login : said.username)
  if (login === undefined || !/^[\w.-]+$/.test(login)) return undefined
  const number = typeof said.id === 'number' ? `${said.id}${forge === 'github' ? '+' : '-'}` : ''
  const email = mailbox(said.commit_email) ?? mailbox(said.email) ?? `${number}${login}@users.noreply.${site}`
  return { name: text(said.name) ?? login, email }
}
