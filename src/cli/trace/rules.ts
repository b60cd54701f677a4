/** `ps` lines of `pid ppid` → everything below the given processes, children before their children. */
export const descendants = (listing: string, above: readonly number[]): number[] => {
  const children = new Map<number, number[]>()
  for (const line of listing.split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    if (pid && parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found: number[] = []
  const walk = (pid: number): void => {
    for (const child of children.get(pid) ?? []) {
      if (found.includes(child) || above.includes(child)) continue
      found.push(child)
      walk(child)
    }
  }
  for (const pid of above) walk(pid)
  return found
}
