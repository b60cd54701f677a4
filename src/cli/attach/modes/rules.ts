// What a program has switched in a terminal: kept in mind so that a new window can be brought to the same, and so
// that the person's terminal is left as it was found.

/** Private modes an agent may switch, with what a terminal has by itself. Any other could change how it reads. */
const usual: Readonly<Record<number, boolean>> = {
  1: false,
  5: false,
  6: false,
  7: true,
  8: true,
  12: false,
  25: true,
  45: false,
  66: false,
  1000: false,
  1002: false,
  1003: false,
  1004: false,
  1005: false,
  1006: false,
  1007: false,
  1015: false,
  1016: false,
  2004: false,
  2026: false,
  2027: false,
  2031: false,
  2048: false,
}
/** These change to the other screen, or only save the cursor for it. */
const screens = [47, 1047, 1049]
const saving = 1048

export type Modes = {
  readonly switched: ReadonlyMap<number, boolean>
  readonly alternate: boolean
  readonly insert: boolean
  readonly keypad: boolean
  /** Flags of the kitty keyboard protocol, as they were pushed. */
  readonly keyboard: readonly number[]
  /** xterm's modifyOtherKeys; '' = as usual. */
  readonly modified: string
  /** The shape of the cursor; '' = as usual. */
  readonly shape: string
  /** The scroll region it asked for; '' = all. */
  readonly region: string
}

export const untouched: Modes = {
  switched: new Map(),
  alternate: false,
  insert: false,
  keypad: false,
  keyboard: [],
  modified: '',
  shape: '',
  region: '',
}

export const isKnown = (mode: number): boolean => mode in usual || screens.includes(mode) || mode === saving
export const isScreen = (mode: number): boolean => screens.includes(mode)

export const switchedTo = (modes: Modes, numbers: readonly number[], on: boolean): Modes => {
  const plain = numbers.filter((mode) => mode in usual)
  const screen = numbers.some(isScreen)
  return {
    ...modes,
    switched: new Map([...modes.switched, ...plain.map((mode): [number, boolean] => [mode, on])]),
    ...(screen && { alternate: on, region: '' }),
  }
}

/** More than any terminal keeps. */
const deepest = 64

export const pushed = (modes: Modes, flags: number): Modes => ({
  ...modes,
  keyboard: [...modes.keyboard, flags].slice(-deepest),
})
export const popped = (modes: Modes, count: number): Modes => ({
  ...modes,
  keyboard: modes.keyboard.slice(0, Math.max(0, modes.keyboard.length - count)),
})

const set = (mode: number, on: boolean): string => `\u001b[?${mode}${on ? 'h' : 'l'}`

/** Brings a terminal that is as usual to these modes. Origin mode is left out: it would move what is painted. */
export const replayed = ({ switched, insert, keypad, keyboard, modified, shape }: Modes): string =>
  [
    ...[...switched]
      .filter(([mode, on]) => mode !== 6 && usual[mode] !== on)
      .map(([mode, on]) => set(mode, on)),
    insert ? '\u001b[4h' : '',
    keypad ? '\u001b=' : '',
    ...keyboard.map((flags) => `\u001b[>${flags}u`),
    modified === '' ? '' : `\u001b[>${modified}m`,
    shape === '' ? '' : `\u001b[${shape} q`,
  ].join('')

/**
 * Undoes whatever a program may have switched, seen or not: everything that has a usual value gets it. The
 * scroll region goes last but for the cursor, because it moves it.
 */
export const restored = ({ alternate, keyboard }: Modes): string => {
  const pop = keyboard.length === 0 ? '' : `\u001b[<${keyboard.length}u`
  return [
    pop,
    // Each screen has a keyboard of its own.
    alternate ? `${set(1049, false)}${pop}` : '',
    ...Object.entries(usual).map(([mode, on]) => set(Number(mode), on)),
    '\u001b[4l\u001b[20l\u001b>\u001b[>4m\u001b[0 q\u001b]8;;\u001b\\\u001b[0m\u001b(B\u000f\u001b[r',
  ].join('')
}
