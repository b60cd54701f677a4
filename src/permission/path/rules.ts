// Paths as text. What is really behind one is a matter of facts.

/** Absolute, without `.`, `..` and double slashes. */
export const resolvePath = (base: string, path: string, home: string): string => {
  const whole =
    path === '~' || path.startsWith('~/')
      ? `${home}${path.slice(1)}`
      : path.startsWith('/')
        ? path
        : `${base}/${path}`
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
