// Processes that carry the home of a ground in their environment: nobody else has it.
import { readdirSync, readFileSync } from 'node:fs'
import type { Ground } from './ground.ts'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // Ended meanwhile, or not ours.
  }
}

/** Those that are left, each with its command; nothing on a system without /proc. */
export const left = ({ env }: Ground): readonly string[] => {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`HOME=${env.HOME}`))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()}`)
    .filter((words) => words.includes(' '))
}
