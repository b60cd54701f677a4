// What may pass. In doubt nothing does: a list that is empty lets nothing through, and a host that can be read in
// two ways is none.

export type Target = {
  readonly host: string
  readonly port: number
  /** The list names this host and port: whoever wrote that knows where it leads. */
  readonly named: boolean
}

export type Judged = { readonly target: Target } | { readonly refused: string }

const labels = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const usual = [80, 443]

/** An address in any spelling that a resolver would take: 127.1, 0x7f000001, 2130706433. */
const isNumeric = (host: string): boolean => /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host)

const entryOf = (listed: string): { readonly host: string; readonly port: number | undefined } => {
  const [host = '', port] = listed.toLowerCase().split(':')
  return { host, port: port === undefined ? undefined : Number(port) }
}

const covers = (listed: string, host: string, port: number): boolean => {
  const entry = entryOf(listed)
  const ports = entry.port === undefined ? usual : [entry.port]
  if (!ports.includes(port)) return false
  if (!entry.host.startsWith('*.')) return entry.host === host
  return !isNumeric(host) && host.endsWith(entry.host.slice(1))
}

/** `authority` as it stands in a request: host:port, or a host alone. */
export const judge = (authority: string, hosts: readonly string[], usualPort?: number): Judged => {
  const [, name = '', digits] = /^([^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  const host = name.toLowerCase()
  const port = digits === undefined ? usualPort : Number(digits)
  if (host.length > 253 || !labels.test(host) || port === undefined || port < 1 || port > 65_535)
    return { refused: 'it is no host and port' }
  if (!hosts.some((listed) => covers(listed, host, port)))
    return { refused: 'the list of allowed hosts does not name it' }
  return { target: { host, port, named: hosts.some((listed) => listed.toLowerCase() === `${host}:${port}`) } }
}

export const modelPrefix = '/model'

/** All that a conversation needs: with the same key one could also read files or other people's batches. */
const conversation = /^\/v1\/(messages(\/count_tokens)?|models(\/[\w.:-]+)?)(\?[^#]*)?$/

/** The path at the model's own base; undefined = nothing for the model. */
export const modelPath = (path: string): string | undefined => {
  if (!path.startsWith(`${modelPrefix}/`)) return undefined
  const rest = path.slice(modelPrefix.length)
  return conversation.test(rest) ? rest : undefined
}

const dropped =
  /^(host|connection|keep-alive|te|trailer|upgrade|transfer-encoding|x-api-key|authorization|cookie|proxy-.*)$/i

type Heads = Readonly<Record<string, string | readonly string[] | undefined>>

/** Without what belongs to one connection, and with the real key in place of the one the agent has. */
export const headsFor = (
  heads: Heads,
  own: Readonly<Record<string, string>>,
): Record<string, string | string[]> => ({
  ...Object.fromEntries(
    Object.entries(heads).flatMap(([name, value]) =>
      value === undefined || dropped.test(name)
        ? []
        : [[name, typeof value === 'string' ? value : [...value]]],
    ),
  ),
  ...own,
})
