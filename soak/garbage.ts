// What a process holds can be told only when what it let go is gone too.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** For a host that is measured. */
export const collectWhenTold = (): void => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => collect())
}

export const tellToCollect = (pid: number): void => {
  process.kill(pid, 'SIGUSR2')
}
