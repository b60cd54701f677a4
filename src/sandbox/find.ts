// What this machine has to make walls with. It really tries: what the kernel's switches say is not what a
// container allows.
import { execFile } from 'node:child_process'
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Builder, Trouble } from './schema.ts'
import { type Seen, type Switches, troubleOf, versionOf } from './trouble/rules.ts'

/** Never PATH: a work tree may be on it, with a program of that name that makes no walls at all. */
const trusted = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']

const patience = 20_000

type Answer = { readonly ok: boolean; readonly text: string }

const ask = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { env: { PATH: '/usr/bin:/bin', ...env }, cwd: '/', timeout: patience } as const
    const child = execFile(program, args, { ...options, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      resolve({ ok: error === null, text: (stderr || stdout || error?.message || '').trim().slice(0, 300) }),
    )
    child.stdin?.end()
  })

/** Somebody else could have put it there, or could change it. */
const doubtAbout = async (path: string): Promise<string | undefined> => {
  for (const each of [path, dirname(path)]) {
    const { uid, mode } = await stat(each)
    if (uid !== 0) return 'does not belong to root'
    if ((mode & 0o022) !== 0) return 'can be changed by others than root'
  }
  return undefined
}

const firstOf = async (places: readonly string[]): Promise<string | undefined> => {
  for (const place of places) {
    // Not there, or not for us: the next one may be.
    const real = await realpath(place).catch(() => undefined)
    if (real !== undefined) return real
  }
  return undefined
}

const trial = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--size', '4096', '--tmpfs', '/tmp'],
  ...['--remount-ro', '/proc', '--'],
]

const readSwitches = async (): Promise<Switches> => {
  const read = (name: string): Promise<string | undefined> =>
    readFile(`/proc/sys/${name}`, 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    )
  const [apparmor, clone, most] = await Promise.all([
    read('kernel/apparmor_restrict_unprivileged_userns'),
    read('kernel/unprivileged_userns_clone'),
    read('user/max_user_namespaces'),
  ])
  return { apparmor, clone, most }
}

/** Whether memory can be limited: the user's own systemd has to be there. */
export const findLimits = async (): Promise<Builder['limits']> => {
  const path = '/usr/bin/systemd-run'
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`
  const { ok } = await ask(path, ['--user', '--scope', '--quiet', 'true'], { XDG_RUNTIME_DIR: runtime })
  return ok ? { path, runtime } : undefined
}

export type Search = {
  readonly places: readonly string[]
  readonly system: string
  /** Of the program and its directory; a test cannot own them as root everywhere. */
  readonly doubtAbout: (path: string) => Promise<string | undefined>
}

const here: Search = { places: trusted, system: process.platform, doubtAbout }

/** What is seen, and what can build; doctor tells the first, a launch needs the second. */
export const lookForBuilder = async (search: Partial<Search> = {}): Promise<Builder | Trouble> => {
  const { places, system, doubtAbout: doubts } = { ...here, ...search }
  const nothing: Seen = { system, places: places.map(dirname), switches: {} }
  const path = system === 'linux' ? await firstOf(places) : undefined
  if (path === undefined) return troubleOf(nothing) as Trouble
  const doubt = await doubts(path)
  const printed = doubt === undefined ? (await ask(path, ['--version'])).text : undefined
  const seen: Seen = { ...nothing, path, doubt, printed }
  const early = troubleOf(seen)
  if (early !== undefined) return early
  const [tried, reset, switches] = await Promise.all([
    ask(path, [...trial, 'true']),
    ask(path, [...trial, '/usr/bin/env', '--default-signal=INT,QUIT', 'true']),
    readSwitches(),
  ])
  const refused = tried.ok ? '' : tried.text || `${basename(path)} says nothing`
  const trouble = troubleOf({ ...seen, refused, switches })
  if (trouble !== undefined) return trouble
  const version = versionOf(printed ?? '') ?? ''
  return { kind: 'bubblewrap', path, version, resets: reset.ok }
}

let found: Promise<Builder | Trouble> | undefined

/** What was found stays; what was missing is looked for again, since somebody may install it meanwhile. */
export const findBuilder = async (): Promise<Builder | Trouble> => {
  found ??= lookForBuilder()
  const answer = await found
  if (!('path' in answer)) found = undefined
  return answer
}
