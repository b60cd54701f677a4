// Whoever still carries the temporary root in its environment was started for it.
import { readdir, readFile } from 'node:fs/promises'

const carries = async (pid: string, mark: string): Promise<boolean> => {
  // Ended meanwhile, or another user's: not one of ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return environment.split('\0').includes(mark)
}

/** Pids; empty where the system does not let one look. */
export const strays = async (root: string): Promise<string[]> => {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  const found = await Promise.all(pids.map((pid) => carries(pid, `AGENCY_ROOT=${root}`)))
  return pids.filter((_, at) => found[at])
}
