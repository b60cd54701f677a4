// The list of trusted roots: one line each, `inode path`. The inode, because a path can be cloned into again.

export type Known = { readonly path: string; readonly inode: number }

export const trustLine = ({ path, inode }: Known): string => `${inode} ${path}\n`

export const isTrusted = (list: string, { path, inode }: Known): boolean =>
  list.split('\n').includes(`${inode} ${path}`)

/** Outside of any root: what is trusted must not be able to say so itself. */
export const trustFile = (env: Readonly<Record<string, string | undefined>>, home: string): string => {
  const base = env.XDG_CONFIG_HOME
  return `${base?.startsWith('/') ? base.replace(/\/$/, '') : `${home}/.config`}/agency/trusted`
}
