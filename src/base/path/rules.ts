/** `outer` itself, or something in it; both absolute and without dots. */
export const isWithin = (outer: string, path: string): boolean =>
  path === outer || path.startsWith(outer === '/' ? '/' : `${outer}/`)
