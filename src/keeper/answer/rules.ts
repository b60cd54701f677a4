// An answer of HTTP as it comes in, byte for byte: each character of a text here is one byte.

export type Read = {
  readonly status: number
  readonly body: string
  /** The line may be used again. */
  readonly keeps: boolean
}

/** `more` = it is not whole yet; `broken` = nobody can say what it means. */
export type Reading = Read | 'more' | 'broken'

/** A body in pieces, each behind its length. */
const pieced = (text: string, from: number): string | 'more' | 'broken' => {
  let body = ''
  for (let at = from; ; ) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) return 'more'
    const digits = /^[0-9a-f]{1,8}$/i.exec(text.slice(at, end))?.[0]
    if (digits === undefined) return 'broken'
    const size = Number.parseInt(digits, 16)
    const next = end + 2 + size + 2
    if (text.length < next) return 'more'
    if (text.slice(next - 2, next) !== '\r\n') return 'broken'
    if (size === 0) return next === text.length ? body : 'broken'
    body += text.slice(end + 2, next - 2)
    at = next
  }
}

const lineOf = (name: string): RegExp => new RegExp(`\\r\\n${name}:[ \\t]*([^\\r]*?)[ \\t]*(?:\\r|$)`, 'i')
const [connection, coding, size] = ['connection', 'transfer-encoding', 'content-length'].map(lineOf) as [
  RegExp,
  RegExp,
  RegExp,
]
const field = (head: string, line: RegExp): string | undefined => line.exec(head)?.[1]?.toLowerCase()

/** `ended`: no more will come. More than the answer is broken: one question has one answer. */
export const answerIn = (text: string, ended: boolean): Reading => {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return ended ? 'broken' : 'more'
  const head = text.slice(0, end)
  const status = Number(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |\r|$)/.exec(head)?.[1] ?? 0)
  if (status === 0) return 'broken'
  const keeps = head.startsWith('HTTP/1.1') && field(head, connection) !== 'close' && !ended
  const rest = text.slice(end + 4)
  if (status === 204) return rest === '' ? { status, body: '', keeps } : 'broken'
  if (field(head, coding) === 'chunked') {
    const body = pieced(rest, 0)
    if (body === 'more') return ended ? 'broken' : 'more'
    return body === 'broken' ? 'broken' : { status, body, keeps }
  }
  const length = field(head, size)
  if (length === undefined) return ended ? { status, body: rest, keeps } : 'more'
  if (!/^\d{1,10}$/.test(length) || rest.length > Number(length)) return 'broken'
  if (rest.length < Number(length)) return ended ? 'broken' : 'more'
  return { status, body: rest, keeps }
}
