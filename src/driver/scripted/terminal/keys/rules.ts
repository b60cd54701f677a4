// What a terminal sends, as keys. Bracketed paste keeps its newlines; only a carriage return submits.
export type Key =
  | { kind: 'text' | 'paste'; text: string }
  | { kind: 'enter' | 'escape' | 'up' | 'down' | 'interrupt' | 'eof' | 'backspace' | 'clear' | 'other' }

/** `rest`: the beginning of a sequence that may go on in the next piece. */
export type Reading = { pasted?: string; rest: string }

const start = '\x1b[200~'
const stop = '\x1b[201~'
const control: Record<string, Key['kind']> = {
  '\r': 'enter',
  '\x03': 'interrupt',
  '\x04': 'eof',
  '\x7f': 'backspace',
  '\x08': 'backspace',
  '\x15': 'clear',
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
}
const sequence = /^\x1b(\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])/
const unfinished = /^\x1b(\[[0-9;?]*[ -/]*|O)?$/

export const feed = (reading: Reading, piece: string): { keys: Key[]; reading: Reading } => {
  const keys: Key[] = []
  let pasted = reading.pasted
  let rest = reading.rest + piece
  const type = (text: string): void => {
    const last = keys.at(-1)
    if (last?.kind === 'text') keys[keys.length - 1] = { kind: 'text', text: last.text + text }
    else keys.push({ kind: 'text', text })
  }
  while (rest !== '') {
    if (pasted !== undefined) {
      const end = rest.indexOf(stop)
      // The end mark itself may be cut in two.
      const held = end < 0 ? overlap(rest, stop) : 0
      pasted += end < 0 ? rest.slice(0, rest.length - held) : rest.slice(0, end)
      if (end < 0) return { keys, reading: { pasted, rest: rest.slice(rest.length - held) } }
      keys.push({ kind: 'paste', text: pasted.replace(/\r\n?/g, '\n') })
      pasted = undefined
      rest = rest.slice(end + stop.length)
    } else if (rest.startsWith(start)) {
      pasted = ''
      rest = rest.slice(start.length)
    } else if (rest[0] === '\x1b') {
      const found = sequence.exec(rest)?.[0]
      if (found) {
        keys.push({ kind: control[found] ?? 'other' } as Key)
        rest = rest.slice(found.length)
      } else if (unfinished.test(rest)) return { keys, reading: { rest } }
      else {
        keys.push({ kind: 'escape' })
        rest = rest.slice(1)
      }
    } else {
      const sign = String.fromCodePoint(rest.codePointAt(0) ?? 0)
      const kind = control[sign]
      if (kind) keys.push({ kind } as Key)
      else if (sign >= ' ' || sign === '\n' || sign === '\t') type(sign)
      rest = rest.slice(sign.length)
    }
  }
  return { keys, reading: pasted === undefined ? { rest: '' } : { pasted, rest: '' } }
}

const overlap = (text: string, mark: string): number => {
  for (let size = Math.min(text.length, mark.length - 1); size > 0; size--)
    if (text.endsWith(mark.slice(0, size))) return size
  return 0
}

/** Nothing followed a lone escape: it was the key itself. */
export const settle = (reading: Reading): { keys: Key[]; reading: Reading } =>
  reading.pasted === undefined && reading.rest.startsWith('\x1b')
    ? { keys: [{ kind: 'escape' }], reading: { rest: '' } }
    : { keys: [], reading }
