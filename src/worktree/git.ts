// Runs git so that nothing of the repository it looks at is executed: no hook, filter, monitor, helper, alias
// or transport. Fails closed: git that wants to run something gets nothing, and says so.
import { spawn } from 'node:child_process'
import { delimiter, isAbsolute } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { oneLine } from '../base/text/rules.ts'
import { command, isPartial } from './text/rules.ts'

export type Told = { readonly code: number; readonly out: string; readonly words: string }
export type Run = {
  /** Undefined takes away what is there. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
  /** Names of files are bytes: one character of input and output stands for each. */
  readonly bytes?: true
  readonly seconds?: number
  /** Exit codes that are an answer, no failure; default 0. */
  readonly fine?: readonly number[]
  /** What a person would type to see the same; default the command itself. */
  readonly like?: string
  /** A descriptor that the child keeps open as long as it lives, also when we are gone. */
  readonly alive?: number | undefined
}

const outputLimit = 64 * 1024 * 1024

// Every key by which a repository could have a program run in the commands used here, or in one that these
// start. A value on the command line beats all files, also those included by a condition.
const inert = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.sshCommand=false',
  'core.gitProxy=false',
  'core.askPass=false',
  'core.alternateRefsCommand=false',
  'core.pager=cat',
  'core.editor=false',
  'core.attributesFile=/dev/null',
  'core.commitGraph=false',
  'credential.helper=',
  'diff.external=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'log.showSignature=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'uploadpack.packObjectsHook=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'worktree.guessRemote=false',
  'worktree.useRelativePaths=false',
  'advice.detachedHead=false',
  'advice.graftFileDeprecated=false',
].flatMap((pair) => ['-c', pair])

/** Nothing of our own environment but where programs and the ignore file of the user are. */
const environment = (): Record<string, string> => {
  const { PATH = '', HOME = '/nonexistent', XDG_CONFIG_HOME, TMPDIR } = process.env
  return {
    // A relative entry would find a `git` inside whatever directory we stand in.
    PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter),
    HOME,
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    // No transport at all, so a missing object of a partial clone is an error and no connection.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    // Neither may make commits look as if others had them.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
  }
}

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type Ended = Told & { readonly late: boolean }

/** `cwd` is the root of the file system: no program or file of the tree is found by being near. */
const launch = (args: readonly string[], run: Run): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const { env, input, seconds = 60, alive, bytes } = run
    const encoding = bytes ? 'latin1' : 'utf8'
    const stdio = ['pipe', 'pipe', 'pipe', ...(alive === undefined ? [] : [alive])] as const
    const child = spawn('git', [...inert, ...args], {
      cwd: '/',
      env: { ...environment(), ...env },
      stdio: [...stdio],
      detached: true,
    })
    const out: Buffer[] = []
    const words: Buffer[] = []
    const limits = { size: 0, late: false }
    const timer = setTimeout(() => {
      limits.late = true
      killGroup(child.pid)
    }, seconds * 1000)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      limits.size += chunk.length
      if (limits.size > outputLimit) killGroup(child.pid)
      else into.push(chunk)
    }
    child.stdout?.on('data', collect(out))
    child.stderr?.on('data', collect(words))
    // Git may end without reading all of it; its exit code says what that meant.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(Buffer.from(input ?? '', encoding))
    child.on('close', (code) => {
      clearTimeout(timer)
      const said = Buffer.concat(words).toString('utf8')
      const full = limits.size > outputLimit ? `more than ${outputLimit} bytes of output` : said
      resolve({
        code: code ?? 128,
        out: Buffer.concat(out).toString(encoding),
        words: full,
        late: limits.late,
      })
    })
  })

/** Whatever the exit code; git that cannot be started or does not end is a failure. */
export const tellGit = async (args: readonly string[], run: Run = {}): Promise<Told> => {
  const { late, ...told } = await launch(args, run).catch((error: NodeJS.ErrnoException) =>
    fail('worktree_git_missing', { why: error.code ?? error.message, cause: error }),
  )
  if (late) fail('worktree_git_slow', { seconds: Math.round(run.seconds ?? 60), repair: shown(args, run) })
  return told
}

const shown = (args: readonly string[], { like }: Run): string => like ?? command('git', ...args)

export const refusedBy = (args: readonly string[], { words, code }: Told, run: Run = {}) =>
  fail('worktree_git_failed', { words: oneLine(words) || `exit code ${code}`, repair: shown(args, run) })

/** Its output; any other exit code than those that are fine is a failure in git's own words. */
export const git = async (args: readonly string[], run: Run = {}): Promise<string> => {
  const told = await tellGit(args, run)
  const fine = (run.fine ?? [0]).includes(told.code) && !isPartial(told.words)
  return fine ? told.out : refusedBy(args, told, run)
}
