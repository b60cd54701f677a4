// Ends what a killed program left behind: the commands it ran live in groups of their own.
import { readdir, readFile } from 'node:fs/promises'
import { until } from './until.ts'

/** Processes with this line in their environment. Where there is no /proc, nothing can be found this way. */
const marked = async (line: string): Promise<number[]> => {
  const names = await readdir('/proc').catch(() => [])
  const found = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      // A process that is gone, or not ours, has no environment to show.
      const environ = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
      return environ.split('\0').includes(line) ? [Number(name)] : []
    })
  return (await Promise.all(found)).flat()
}

export const sweep = (line: string) =>
  until(`the processes with ${line} to be gone`, async () => {
    const left = await marked(line)
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
    return left.length === 0
  })
