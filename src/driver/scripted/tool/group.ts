// Children that still run, each in a process group of its own.
const live = new Set<number>()

export const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}

/** Remembers a child until the returned function is called. */
export const track = (pid: number | undefined): (() => void) => {
  if (pid === undefined) return () => undefined
  live.add(pid)
  return () => void live.delete(pid)
}

/** Ends every child that still runs; what left its process group is out of reach, as for the real CLI. */
export const endChildren = (): void => {
  for (const pid of live) killGroup(pid)
}
