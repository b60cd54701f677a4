// If the keeper is killed, its child must not outlive it: nobody would answer its hooks or know its end. The
// kernel has no word for this that Node can say, so a shell outside the session holds a pipe whose other end
// only the keeper has. It wakes when the keeper tells it something, or is gone.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cookieName } from './members.ts'

// The cookie comes by the pipe: in the arguments it would mark the guard itself where `ps` shows environments.
const script = `
read -r cookie || exit 0
group=
while read -r word; do
  case $word in done) exit 0 ;; none) group= ;; *) group=$word ;; esac
done
[ -n "$group" ] && kill -KILL "-$group" 2>/dev/null
marked() {
  if [ -d /proc/self ]; then
    grep -lF "$cookie" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
  else
    ps -axEww -o pid=,command= | while read -r pid words; do
      case $words in *"$cookie"*) echo "$pid" ;; esac
    done
  fi
}
rounds=0
while [ "$rounds" -lt 50 ]; do
  found=$(marked)
  [ -z "$found" ] && exit 0
  kill -KILL $found 2>/dev/null
  sleep 0.1
  rounds=$((rounds + 1))
done
`

export type Guard = {
  /** Of what it guards: in the environment of everything the session starts. */
  readonly cookie: string
  readonly pid: () => number
  /** The process group to end with the keeper; undefined = there is none now. */
  watch(group: number | undefined): Promise<void>
  /** Told when the guard itself was killed; another one stands in its place by then. */
  onLost(hear: () => void): void
  /** The keeper goes of its own accord: there is nothing to end. */
  dismiss(): void
}

const say = (guard: ChildProcess, words: string): Promise<void> =>
  new Promise((resolve, reject) => {
    guard.stdin?.write(words, (error) => (error ? reject(error) : resolve()))
  })

/** Of one session, which may come later. */
export const openGuard = (): Guard => {
  const cookie = randomBytes(16).toString('hex')
  let group: number | undefined
  let lost = (): void => {}
  let dismissed = false
  let current: ChildProcess

  const state = (): string => `${group ?? 'none'}\n`
  const begin = (): ChildProcess => {
    const guard = spawn('/bin/sh', ['-c', script], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      // A session of its own: neither what ends the child's group nor its own signals reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // A guard that is gone is replaced by its 'exit'; writing to it may fail before.
    guard.stdin?.on('error', () => {})
    guard.once('exit', () => {
      if (dismissed) return
      current = begin()
      lost()
    })
    guard.stdin?.write(`${cookieName}=${cookie}\n${state()}`)
    return guard
  }
  current = begin()

  return {
    cookie,
    pid: () => current.pid ?? 0,
    watch: async (next) => {
      group = next
      // To one that has just gone nothing can be said: its successor begins with it.
      await say(current, state()).catch(() => {})
    },
    onLost: (hear) => {
      lost = hear
    },
    dismiss: () => {
      dismissed = true
      current.stdin?.end('done\n')
    },
  }
}
