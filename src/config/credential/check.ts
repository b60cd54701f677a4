// Says of each credential whether it is there, safe and known to its forge, without ever saying the value.
import { readText } from '../../base/file/read.ts'
import { writeAtomic } from '../../base/file/write.ts'
import { layout } from '../layout/rules.ts'
import type { Config } from '../schema.ts'
import { readYaml } from '../yaml/read.ts'
import { heldCredential } from './keep.ts'
import { identityOf, oddValue } from './rules.ts'
import {
  type CredentialName,
  type CredentialState,
  credentialNames,
  type Identity,
  identity,
} from './schema.ts'

export type Apis = Pick<Config, 'github' | 'gitlab'>
type Forge = keyof Apis
type Asked = { readonly identity: Identity } | { readonly state?: 'bad'; readonly says: string }

const forges: Partial<Record<CredentialName, Forge>> = { 'github-token': 'github', 'gitlab-token': 'gitlab' }
const patience = 10_000

const headers = (forge: Forge, token: string): Record<string, string> => ({
  accept: 'application/json',
  'user-agent': 'agency',
  ...(forge === 'github' ? { authorization: `Bearer ${token}` } : { 'private-token': token }),
})

const siteOf = (api: string): string => new URL(api).hostname.replace(/^api\./, '')

/** Never follows a redirect: the token would go along. */
const ask = async (forge: Forge, api: string, token: string): Promise<Asked> => {
  const url = `${api.replace(/\/+$/, '')}/user`
  try {
    const reply = await fetch(url, {
      headers: headers(forge, token),
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    if (reply.status === 401) return { state: 'bad', says: `is refused by ${api}` }
    if (!reply.ok) return { says: `could not be checked: ${api} answered ${reply.status}` }
    const found = identityOf(forge, siteOf(api), await reply.json())
    return found === undefined
      ? { says: `could not be checked: ${api} did not name a user` }
      : { identity: found }
  } catch {
    // Whatever fetch throws (no network, no such host, too slow, no JSON) means the same: not known, not wrong.
    return { says: `could not be checked: ${api} cannot be reached` }
  }
}

const checkOne = async (root: string, name: CredentialName, apis: Apis): Promise<CredentialState> => {
  const held = await heldCredential(root, name)
  const next = `Type \`agency credential set ${name}\`.`
  if (!('value' in held)) return { name, state: held.state, says: held.says, next }
  const odd = oddValue(name, held.value)
  const forge = forges[name]
  const asked = forge === undefined ? undefined : await ask(forge, apis[forge].api, held.value)
  if (asked !== undefined && 'identity' in asked) return { name, state: 'ready', identity: asked.identity }
  if (asked?.state === 'bad') return { name, state: 'bad', says: asked.says, next }
  const says = [odd, asked?.says].filter((each) => each !== undefined).join('; ')
  return { name, state: 'ready', ...(says !== '' && { says }) }
}

const derived = '# Derived from a token by `agency credential check`. Remove this line to keep your own.\n'

/** What a person wrote there stays. */
const keepIdentity = async (root: string, { name, email }: Identity): Promise<void> => {
  const file = layout(root).gitIdentity
  const before = await readText(file)
  if ('trouble' in before ? before.trouble !== 'missing' : !before.text.startsWith(derived)) return
  await writeAtomic(file, `${derived}name: ${JSON.stringify(name)}\nemail: ${JSON.stringify(email)}\n`, 0o644)
}

/** All credentials; keeps the identity that a forge named, for commits. */
export const checkCredentials = async (root: string, apis: Apis): Promise<readonly CredentialState[]> => {
  const states = await Promise.all(credentialNames.map((name) => checkOne(root, name, apis)))
  const found = states.find((each) => each.identity !== undefined)?.identity
  if (found !== undefined) await keepIdentity(root, found)
  return states
}

/** Who commits: derived from a token, or set by hand in `git-config`; undefined where nothing is known. */
export const readIdentity = async (root: string): Promise<Identity | undefined> =>
  (await readYaml(layout(root).gitIdentity, identity)).value
