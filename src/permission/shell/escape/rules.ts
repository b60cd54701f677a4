// The escapes of $'…', and of what `printf` and `echo -e` write.

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const coded = /x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])/y

const char = (code: number): string => (code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code))

/** From after the opening quote; `end` = after the closing one, beyond the text when there is none. */
export const decode = (source: string, start: number): { readonly text: string; readonly end: number } => {
  let text = ''
  let at = start
  while (at < source.length && source[at] !== "'") {
    if (source[at] !== '\\') {
      text += source[at]
      at++
      continue
    }
    coded.lastIndex = at + 1
    const [all, hex, short, long, octal, control] = coded.exec(source) ?? []
    if (all === undefined) {
      const next = source[at + 1] ?? ''
      text += simple[next] ?? (/[\\'"?]/.test(next) ? next : `\\${next}`)
      at += 2
      continue
    }
    if (control !== undefined) text += char(control.charCodeAt(0) & 0x1f)
    else if (octal !== undefined) text += char(Number.parseInt(octal, 8) & 0xff)
    else text += char(Number.parseInt(hex ?? short ?? long ?? '0', 16))
    at += 1 + all.length
  }
  // Bash ends the string at a NUL, so that what follows is never seen.
  const nul = text.indexOf('\0')
  return { text: nul < 0 ? text : text.slice(0, nul), end: at + 1 }
}

/** A text as it is written by who takes all escapes in it for one. */
export const unescaped = (text: string): string =>
  text
    .split("'")
    .map((part) => decode(part, 0).text)
    .join("'")
