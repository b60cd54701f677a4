import { statfs } from 'node:fs/promises'
import { AgencyError } from '../../base/error/fail.ts'
import { alive } from '../../base/process/identity.ts'
import { heldCredential } from '../../config/credential/keep.ts'
import { credentialNames } from '../../config/credential/schema.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { readToken } from '../../config/token.ts'
import { validateAll } from '../../config/validate.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { kinds } from '../../director/kinds.ts'
import { findLimits, lookForBuilder } from '../../sandbox/find.ts'
import type { Handler, Io } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { recordedHost, sockets } from '../trace/find.ts'
import { program } from './probe.ts'
import { judge } from './rules.ts'
import type { Facts, Trace } from './schema.ts'

type OfRoot = Pick<Facts, 'root' | 'traces' | 'files' | 'token' | 'credentials'>

const claudeVariables = ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']

const credentials = async (root: string, { env }: Io): Promise<Facts['credentials']> =>
  Promise.all(
    credentialNames.map(async (name): Promise<Facts['credentials'][number]> => {
      const held = await heldCredential(root, name)
      if ('value' in held) return { name, state: 'stored', says: '' }
      if (held.state !== 'missing') return { name, state: held.state, says: held.says }
      const elsewhere = name === 'claude-token' && claudeVariables.some((variable) => env[variable])
      return { name, state: elsewhere ? 'environment' : 'absent', says: '' }
    }),
  )

const traces = async (root: string): Promise<Trace[]> => {
  const host = recordedHost(root)
  const listed = (await sockets(root)).map(({ path, live }) => ({ what: 'whoever listened', path, live }))
  if (host === undefined) return listed
  return [{ what: `the host (pid ${host.pid})`, path: layout(root).host, live: alive(host) }, ...listed]
}

const files = async (root: string): Promise<string[]> =>
  (await validateAll(root, kinds)).flatMap(({ problems }) => problems.map((each) => problemLine(each, root)))

const token = async (root: string): Promise<Facts['token']> => {
  try {
    await readToken(root)
    return undefined
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    // A host makes it when it starts.
    if (error.code === 'token_missing') return undefined
    return { trouble: error.words.message, fix: error.words.next }
  }
}

const ofRoot = async (io: Io): Promise<OfRoot> => {
  try {
    const { directory: path } = await findRoot(where(io))
    const { bavail, bsize } = await statfs(path)
    return {
      root: { path, freeBytes: bavail * bsize },
      traces: await traces(path),
      files: await files(path),
      token: await token(path),
      credentials: await credentials(path, io),
    }
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    return {
      root: { trouble: error.words.message, fix: error.words.next },
      traces: [],
      files: [],
      credentials: [],
    }
  }
}

const examine = async (io: Io): Promise<Facts> => {
  const { env } = io
  const [git, claude, sandbox, limits, root] = await Promise.all([
    program('git', env),
    program(env.CLAUDE_BIN || 'claude', env),
    lookForBuilder(),
    findLimits(),
    ofRoot(io),
  ])
  return {
    asRoot: process.getuid?.() === 0,
    node: process.version,
    git,
    claude,
    sandbox,
    limits: limits !== undefined,
    ...root,
  }
}

const marks = { ok: 'ok', warning: 'warn', problem: 'FAIL' }

export const run: Handler = async ({ io, progress }) => {
  progress('examining this machine …')
  const findings = judge(await examine(io))
  const rows = table(findings.map(({ check, state, found }) => [marks[state], check, found]))
  const bad = findings.filter(({ state }) => state === 'problem').length
  const lines = findings.flatMap(({ fix }, at) => [
    rows[at] ?? '',
    ...(fix === undefined ? [] : [`      → ${fix}`]),
  ])
  const verdict = bad === 0 ? 'Nothing here stops agency from working.' : `${bad} must be fixed first.`
  return { data: { ok: bad === 0, findings }, lines: [...lines, '', verdict], exit: bad === 0 ? 0 : 1 }
}
