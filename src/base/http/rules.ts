// A request of HTTP in its plainest form. Whatever is not as plain is for Node's own parser: to say no here is always safe.

export type Head = {
  readonly path: string
  /** Name, value, name, value, as they came. */
  readonly raw: readonly string[]
  /** Of the body, in bytes. */
  readonly length: number
}

const first = /^POST (\/[!-~]*) HTTP\/1\.1$/
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([!-~](?:[ -~]*[!-~])?)[ \t]*$/

/** They change how a request, or the line, goes on. */
const special = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'keep-alive', 'proxy-connection']

/** `text` is all before the empty line; undefined = it is not plain. */
export const headIn = (text: string): Head | undefined => {
  const [start = '', ...lines] = text.split('\r\n')
  const path = first.exec(start)?.[1]
  if (path === undefined) return undefined
  const raw: string[] = []
  let length: number | undefined
  for (const line of lines) {
    const [, name = '', value = ''] = field.exec(line) ?? []
    const lower = name.toLowerCase()
    if (name === '' || special.includes(lower)) return undefined
    if (lower === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined
    if (lower === 'content-length') {
      if (length !== undefined || !/^\d{1,8}$/.test(value)) return undefined
      length = Number(value)
    }
    raw.push(name, value)
  }
  return length === undefined ? undefined : { path, raw, length }
}
