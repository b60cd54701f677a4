// What of an agent's output reaches the person's terminal. It is a terminal, so nearly all does, by lists of what
// is known to be harmless; whatever is on none is dropped whole. Dropped with a reason:
//   OSC 52, 50, 7, 1337 and unknown      write the clipboard, change the font, act on the window, fetch files
//   OSC 4/10/11/12 that set a colour     the person's colours; asking for one is fine
//   DCS but questions and sixel          defines keys, or is tmux's way around this list
//   APC (kitty images), PM, SOS          name files that the terminal then reads or deletes
//   CSI t but pixel sizes, CSI i, y, *y  moves windows, tells or stacks titles, prints, tests, reads the screen
//   modes not in `modes`, ESC % @, C1    switch the terminal to another way of reading, where this list is void
// Questions that remain (DA, DSR, DECRQM, DECRQSS, colours) are answered by the terminal as typed text, to the agent
// that asked.
//
// Where a bar takes the last row, the agent's screen ends above it: its scroll region is kept there, and so is its
// cursor. All text here is bytes, one a character.
import type { Size } from '../../../keeper/schema.ts'
import { isKnown, isScreen, type Modes, popped, pushed, switchedTo, untouched } from '../modes/rules.ts'

export type Filter = {
  /** What may be written now; the beginning of a sequence waits for its end. */
  pass(bytes: string): string
  modes(): Modes
  /** Between two sequences, and the one place where a terminal remembers its cursor is not in use. */
  calm(): boolean
  /** Since the last question something may have wiped or moved the last row. */
  wiped(): boolean
  /** The bar takes a row from now on, below these; undefined = there is none. */
  fit(rows: number | undefined): void
  /** The sequence for a scroll region, within what the agent has. */
  region(params: string): string
}

const longest = 8 * 1024
const most = 9_999

const textual = /^[^\u0000-\u001f\u007f]*$/
const c1 = /\u00c2[\u0080-\u009f]/
const harmlessOsc = /^(?:[012];|8;|9;|133;|777;notify;|(?:10|11|12);\?|4;\d+;\?$|(?:104|110|111|112)(?:;|$))/
const harmlessDcs = /^(?:[0-9;]*q|[$+]q|=[0-9]*s)/
const startOfDcs = /^[0-9;$+=]*$/
const plainEscapes = '78=>DEHMZNOno|}~'
const charsets = /^(?:[()*+\-./][0-~]|#[34568]|%G)$/

/** The beginning of a character at the end. */
const cutCharacter =
  /(?:[\u00c2-\u00df]|[\u00e0-\u00ef][\u0080-\u00bf]?|[\u00f0-\u00f4][\u0080-\u00bf]{0,2})$/

const numbers = (params: string): number[] => params.split(';').map((each) => Number(each.split(':')[0] || 0))
const capped = (params: string): string =>
  params.replace(/\d{5,}/g, (digits) => String(Math.min(Number(digits), most)))

/** The largest window there is. */
const largest: Size = { columns: 1000, rows: 1000 }

/** `within`: more than a window holds is not repeated, scrolled or inserted; an emulator would do it one by one. */
export const openFilter = (fitted?: number, within = largest): Filter => {
  let rows = fitted
  let carry = ''
  /** Inside a control string: what it says goes on, or nowhere. */
  let inside: 'none' | 'pass' | 'drop' = 'none'
  let modes = untouched
  let wiped = false
  let slot: 'free' | 'held' | 'kept' = 'free'

  /** The region is lost by whatever just happened; the cursor stays. */
  const confine = (): string => {
    wiped = true
    return rows === undefined ? '' : `\u001b7\u001b[1;${rows}r\u001b8`
  }

  const remember = (): void => {
    slot = 'held'
  }
  // Used twice, it is meant for many times: a bar drawn in between would move it.
  const recall = (): void => {
    slot = slot === 'held' ? 'free' : 'kept'
  }

  const privateModes = (params: string, on: boolean): string => {
    const known = numbers(params).filter(isKnown)
    if (known.length === 0) return ''
    modes = switchedTo(modes, known, on)
    const sequence = `\u001b[?${known.join(';')}${on ? 'h' : 'l'}`
    if (!known.some(isScreen)) return sequence
    slot = 'free'
    return sequence + confine()
  }

  const region = (params: string): string => {
    const [top = 0, bottom = 0] = numbers(params)
    modes = { ...modes, region: params }
    if (rows === undefined) return `\u001b[${params}r`
    return `\u001b[${Math.max(1, top)};${bottom === 0 ? rows : Math.min(bottom, rows)}r`
  }

  const ansiModes = (params: string, on: boolean): string => {
    const known = numbers(params).filter((mode) => mode === 4 || mode === 20)
    if (known.includes(4)) modes = { ...modes, insert: on }
    return known.length === 0 ? '' : `\u001b[${known.join(';')}${on ? 'h' : 'l'}`
  }

  const bare = (params: string, final: string): string => {
    const [first = 0, ...others] = numbers(params)
    switch (final) {
      case 't':
        return first === 14 || first === 16 ? `\u001b[${params}t` : ''
      case 'i':
      case 'y':
        return ''
      case 'h':
      case 'l':
        return ansiModes(params, final === 'h')
      case 'r':
        return region(params)
      case 'H':
      case 'f':
        if (rows !== undefined && first > rows) return `\u001b[${[rows, ...others].join(';')}${final}`
        break
      case 'd':
        if (rows !== undefined && first > rows) return `\u001b[${rows}d`
        break
      case 'e':
        // Not stopped by the region, unlike its twin.
        return `\u001b[${params}B`
      case 'J':
        wiped = true
        break
      case 's':
        if (params === '') remember()
        break
      case 'u':
        if (params === '') recall()
        break
    }
    return `\u001b[${params}${final}`
  }

  const marked = (mark: string, params: string, final: string): string => {
    if (mark === '?' && (final === 'h' || final === 'l')) return privateModes(params, final === 'h')
    if (mark === '?' && final === 'J') wiped = true
    if (mark === '>' && final === 'u') modes = pushed(modes, numbers(params)[0] ?? 0)
    if (mark === '<' && final === 'u') modes = popped(modes, numbers(params)[0] || 1)
    if (mark === '>' && final === 'm' && /^4(;|$)/.test(params)) modes = { ...modes, modified: params }
    const harmless = { '?': 'nucJKmS', '>': 'cqmnu', '<': 'u', '=': 'cu' }[mark] ?? ''
    return harmless.includes(final) ? `\u001b[${mark}${params}${final}` : ''
  }

  const bounded = (given: string, final: string): string => {
    const most = 'STLM'.includes(final) ? within.rows : 'b@PXIZ'.includes(final) ? within.columns : undefined
    const [first = 0] = numbers(given)
    return most !== undefined && first > most ? String(most) : capped(given)
  }

  const control = (mark: string, given: string, middle: string, final: string): string => {
    const params = bounded(given, final)
    if (middle === '') return mark === '' ? bare(params, final) : marked(mark, params, final)
    const whole = `\u001b[${mark}${params}${middle}${final}`
    if (`${middle}${final}` === '!p') {
      modes = { ...untouched, alternate: modes.alternate, keyboard: modes.keyboard }
      slot = 'free'
      return whole + confine()
    }
    if (`${middle}${final}` === ' q') modes = { ...modes, shape: params }
    return [' q', '$p', '"q'].includes(`${middle}${final}`) ? whole : ''
  }

  const simple = (after: string): string => {
    if (after.length > 1) {
      if (after === '#8') wiped = true
      return charsets.test(after) ? `\u001b${after}` : ''
    }
    if (after === 'c') {
      // A full reset would take the person's own scrollback with it.
      const leave = modes.alternate ? '\u001b[?1049l' : ''
      modes = { ...untouched, keyboard: modes.keyboard }
      slot = 'free'
      return `${leave}\u001b[!p\u001b[?1000;1002;1003;1004;2004l\u001b[H\u001b[2J${confine()}`
    }
    if (after === '7') remember()
    if (after === '8') recall()
    if (after === '=' || after === '>') modes = { ...modes, keypad: after === '=' }
    return plainEscapes.includes(after) ? `\u001b${after}` : ''
  }

  /** How far the sequence that begins at `at` goes, and what becomes of it; undefined = its end is not here yet. */
  const sequence = (text: string, at: number): { to: number; out: string } | undefined => {
    const kind = text[at + 1]
    if (kind === undefined) return undefined
    if (kind === '[') {
      const found = /([<-?]?)([0-9:;]*)([ -/]*)([@-~])/y
      found.lastIndex = at + 2
      const hit = found.exec(text)
      if (hit !== null) {
        const [, mark = '', params = '', middle = '', final = ''] = hit
        return { to: found.lastIndex, out: control(mark, params, middle, final) }
      }
      const tail = text.slice(at + 2)
      if (tail.length < 256 && /^[ -?]*$/.test(tail)) return undefined
      return { to: at + 2, out: '' }
    }
    if (']PX^_k'.includes(kind)) return string(text, at, kind)
    const found = /[ -/]*[0-~]/y
    found.lastIndex = at + 1
    const hit = found.exec(text)
    if (hit !== null) return { to: found.lastIndex, out: simple(hit[0]) }
    const tail = text.slice(at + 1)
    if (tail.length < 8 && /^[ -/]*$/.test(tail)) return undefined
    return { to: at + 1, out: '' }
  }

  const string = (text: string, at: number, kind: string): { to: number; out: string } | undefined => {
    if (kind === 'P') {
      const head = text.slice(at + 2, at + 34)
      if (harmlessDcs.test(head)) {
        inside = 'pass'
        return { to: at + 2, out: '\u001bP' }
      }
      if (head.length < 32 && startOfDcs.test(head)) return undefined
    }
    if (kind === ']') {
      const end = /[\u0007\u0018\u001a\u001b]/g
      end.lastIndex = at + 2
      const hit = end.exec(text)
      if (hit === null && text.length - at < longest) return undefined
      const ended = hit !== null && (hit[0] === '\u0007' || text[hit.index + 1] === '\\')
      if (hit?.[0] === '\u001b' && hit.index + 1 === text.length) return undefined
      if (hit !== null && ended) {
        const body = text.slice(at + 2, hit.index)
        const out = harmlessOsc.test(body) && textual.test(body) && !c1.test(body)
        return { to: hit.index + (hit[0] === '\u0007' ? 1 : 2), out: out ? `\u001b]${body}\u001b\\` : '' }
      }
    }
    inside = 'drop'
    return { to: at + 2, out: '' }
  }

  /** A control character of the upper half, or what could become one with what follows something dropped. */
  const upper = (text: string, at: number, hit: string): { to: number; out: string } | undefined =>
    at + 1 === text.length ? undefined : { to: at + hit.length, out: '' }

  /** The rest of a control string. Whatever begins with ESC ends it, and is looked at by itself. */
  const through = (text: string, at: number): { to: number; out: string } | undefined => {
    const end = /[\u0007\u0018\u001a\u001b]|\u00c2(?:[\u0080-\u009f]|(?![\u00a0-\u00bf]))/g
    end.lastIndex = at
    const hit = end.exec(text)
    const next = hit?.index ?? text.length
    if (hit === null || next > at) return { to: next, out: inside === 'pass' ? text.slice(at, next) : '' }
    if (hit[0].startsWith('\u00c2')) return upper(text, at, hit[0])
    if (hit[0] === '\u001b' && text[at + 1] === undefined) return undefined
    const regular = hit[0] === '\u001b' && text[at + 1] === '\\'
    const to = regular ? at + 2 : hit[0] === '\u001b' ? at : at + 1
    // Left open, or ended by what not every terminal takes for the end, it would swallow what follows.
    const out = inside === 'pass' ? '\u001b\\' : ''
    inside = 'none'
    return { to, out }
  }

  const pass = (bytes: string): string => {
    const text = carry + bytes
    const out: string[] = []
    carry = ''
    const stop = /\u001b|\u00c2(?:[\u0080-\u009f]|(?![\u00a0-\u00bf]))/g
    for (let at = 0; at < text.length; ) {
      let step: { to: number; out: string } | undefined
      if (inside !== 'none') step = through(text, at)
      else {
        stop.lastIndex = at
        const hit = stop.exec(text)
        if (hit === null) {
          const whole = text.length - (cutCharacter.exec(text.slice(-3))?.[0].length ?? 0)
          step = whole > at ? { to: whole, out: text.slice(at, whole) } : undefined
        } else if (hit.index > at) step = { to: hit.index, out: text.slice(at, hit.index) }
        else if (hit[0] === '\u001b') step = sequence(text, at)
        else step = upper(text, at, hit[0])
      }
      if (step === undefined) {
        carry = text.slice(at)
        break
      }
      out.push(step.out)
      at = step.to
    }
    return out.join('')
  }

  return {
    pass,
    modes: () => modes,
    calm: () => carry === '' && inside === 'none' && slot === 'free',
    wiped: () => {
      const was = wiped
      wiped = false
      return was
    },
    fit: (next) => {
      rows = next
      slot = 'free'
    },
    region,
  }
}
