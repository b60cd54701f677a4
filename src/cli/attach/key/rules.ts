// The key that detaches: one key with Ctrl, recognised in every form a terminal may send it.

const named = /^ctrl-([a-z@\\\]^_])$/i
/** Without these the agent could not be used: interrupt, backspace, tab, enter. */
const needed = 'chijm'

export const defaultKey = 'ctrl-\\'

/** What a terminal sends for it by default; undefined = no key that may be taken from the agent. */
export const keyCode = (text: string): number | undefined => {
  const [, key = ''] = named.exec(text) ?? []
  const code = key.toUpperCase().charCodeAt(0) & 0x1f
  return key === '' || needed.includes(key.toLowerCase()) ? undefined : code
}

// What the kitty protocol and xterm's modifyOtherKeys send instead; and when a key is let go.
const encoded = /\u001b\[(?:(\d+)(?::[\d:]*)?;(\d+)(?::([123]))?u|27;(\d+);(\d+)~)/g
const control = 4
/** Locks are no part of a key. */
const held = (modifiers: string): number => (Number(modifiers) - 1) & 0x3f

/** Where in the typed bytes the key is; -1 = nowhere. */
export const findKey = (typed: string, code: number): number => {
  const plain = typed.indexOf(String.fromCharCode(code))
  if (!typed.includes('\u001b')) return plain
  const hit = [...typed.matchAll(encoded)].find(([, key, modifiers, phase, others, other]) => {
    const pressed = String.fromCodePoint(Math.min(Number(key ?? other), 0x10ffff)).toUpperCase()
    const found = (pressed.charCodeAt(0) & 0x1f) === code && pressed >= '@' && pressed <= '_'
    return found && held(modifiers ?? others ?? '') === control && phase !== '3'
  })
  const at = hit?.index ?? -1
  return plain < 0 ? at : at < 0 ? plain : Math.min(plain, at)
}
