// Finds the host of a root, or starts it. Which host wins is decided by the lock alone, so any number may try
// at once. A host that is there but slow is waited for and never replaced.
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fail } from '../base/error/fail.ts'
import { alive } from '../base/process/identity.ts'
import { layout } from '../config/layout/rules.ts'
import { hostSocket, readHostFile } from './address.ts'
import { type Attempt, attempt, type Program } from './attempt.ts'
import { type Client, open, settle } from './call.ts'

export type Reach = {
  /** What runs a host in the foreground and yields to another; absent = none is started. */
  readonly start?: Program
  /** Variables of ours that it does not get. */
  readonly without?: readonly string[]
  /** Told when it takes longer than one would expect. */
  readonly say?: (message: string) => void
  /** Milliseconds until an answer is given up on. */
  readonly patience?: number
}

const slow = 2_000
/** Who lost against a host that then died starts again, but not in a frenzy. */
const between = 1_000

/** `silent` = somebody holds the socket but says nothing yet. */
type Answer = { readonly is: 'answers' | 'leaving' | 'absent' | 'silent'; readonly pid?: number | undefined }

const nobody = ['ENOENT', 'ECONNREFUSED']
// Its queue of connections is full; it is just going; it did not answer in time.
const somebody = ['EAGAIN', 'ECONNRESET', 'EPIPE', 'AbortError', 'TimeoutError']

const ask = async (client: Client, milliseconds: number): Promise<Answer> => {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(milliseconds)))
  try {
    const response = await open(client, { method: 'GET', path: '/status', signal })
    const { state, pid } = (await settle(response)) as { state?: string; pid?: number }
    return { is: state === 'draining' ? 'leaving' : 'answers', pid }
  } catch (error) {
    const { code = '', name } = error as NodeJS.ErrnoException
    if (nobody.includes(code)) return { is: 'absent' }
    if (somebody.includes(code) || somebody.includes(name)) return { is: 'silent' }
    throw error
  }
}

const lastLines = (root: string): readonly string[] => {
  try {
    if (!statSync(layout(root).log).isFile()) return []
    return readFileSync(layout(root).log, 'utf8').trim().split('\n').slice(-5)
  } catch {
    // A host that never came to its log has none.
    return []
  }
}

const livePid = (root: string): number | undefined => {
  const file = readHostFile(root)
  return file && alive(file) ? file.pid : undefined
}

const giveUp = (root: string, milliseconds: number, { is }: Answer): never => {
  if (is === 'leaving') return fail('draining', { what: `The host of ${root}` })
  const pid = livePid(root)
  return fail('host_silent', {
    root,
    who: pid ? `process ${pid}` : 'it holds the lock of the root',
    seconds: Math.round(milliseconds / 1000),
    hint: pid
      ? `If it is paused, type \`kill -CONT ${pid}\`; if it must go, type \`agency kill --all\`.`
      : 'Wait and try again; `agency doctor` shows who holds the lock.',
    problems: lastLines(root),
  })
}

/** A client whose host has answered. */
export const reach = async (root: string, options: Reach = {}): Promise<Client> => {
  const { start, without = [], say = () => {}, patience = 60_000 } = options
  const client: Client = { socket: (await hostSocket(root)).path }
  const began = performance.now()
  const spent = (): number => performance.now() - began
  let told = false
  let last: Attempt | undefined

  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    const answer = await ask(client, told ? patience - spent() : slow)
    // Who only looks may look at a host that is going; who needs one waits for the next.
    if (answer.is === 'answers' || (answer.is === 'leaving' && !start)) {
      // One that lost, but slowly, could still win once the other ends; and nobody would want it then.
      last?.endUnless(answer.pid)
      return client
    }
    if (answer.is === 'absent' && !start) fail('host_absent', { root })
    const what = last?.failed()
    if (what !== undefined) fail('host_not_started', { root, what, problems: lastLines(root) })
    if (spent() > patience) giveUp(root, spent(), answer)
    if (!told && spent() > slow) {
      told = true
      const pid = livePid(root)
      say(pid ? `Waiting for the host (process ${pid}), which is slow …` : 'Waiting for the host …')
    }
    const again = !last || (last.over() && performance.now() - last.at > between)
    if (answer.is === 'absent' && start && again) last = attempt(root, start, without)
    await wait(pause)
  }
}
