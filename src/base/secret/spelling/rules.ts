// How a text is spelled by those who encode it.

const half = /\p{Cs}/gu
/** As its bytes, one character each. Half a character is written as the system writes it. */
export const utf8 = (text: string): string =>
  encodeURIComponent(text.replace(half, '\ufffd')).replace(/%(..)/g, (_, byte: string) =>
    String.fromCharCode(Number.parseInt(byte, 16)),
  )

const bytesIn = (text: string): readonly number[] => [...utf8(text)].map((byte) => byte.charCodeAt(0))

const digits = (byte: number): string => byte.toString(16).padStart(2, '0')

export const hex = (text: string): string => bytesIn(text).map(digits).join('')

const sextets = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Within a longer text that is encoded as one, `before` bytes after a group of three: what no neighbour changes. */
export const base64 = (text: string, before: 0 | 1 | 2): string => {
  let spelled = ''
  // What is not yet spelled, and how many bits of it; the first ones belong to a sextet of the neighbour too.
  let [held, bits] = [0, -([0, 4, 2][before] ?? 0)]
  for (const byte of bytesIn(text)) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 6; bits -= 6) spelled += sextets[(held >> (bits - 6)) & 63]
    held &= 0xff
  }
  return spelled
}

/** Each byte that `plain` does not match as `%XX`. */
export const percent = (text: string, plain: RegExp): string =>
  [...utf8(text)]
    .map((byte) => (plain.test(byte) ? byte : `%${digits(byte.charCodeAt(0)).toUpperCase()}`))
    .join('')

/** Inside a string of JSON. */
export const json = (text: string): string => JSON.stringify(text).slice(1, -1)

const escaped = (text: string, which: RegExp, spell: (digits: string) => string): string =>
  text.replace(which, (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)

const beyondAscii = /[\u007f-\uffff]/g

/** JavaScript; Python and Ruby; Java and C#; Go, which fears HTML; PHP, which fears a slash too. */
export const jsonDialects: readonly ((text: string) => string)[] = [
  json,
  (text) => escaped(json(text), beyondAscii, (digits) => digits),
  (text) => escaped(json(text), beyondAscii, (digits) => digits.toUpperCase()),
  (text) => escaped(json(text), /[<>&\u2028\u2029]/g, (digits) => digits),
  (text) => escaped(json(text), beyondAscii, (digits) => digits).replaceAll('/', '\\/'),
]
