// One JSON line for each thing said or done, where the CLI keeps them.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Json = Record<string, unknown>

export type Transcript = {
  readonly path: string
  /** What was said before this process began. */
  readonly past: readonly Json[]
  user: (content: unknown, more?: Json) => string
  assistant: (message: Json, more?: Json) => string
  queue: (operation: 'enqueue' | 'dequeue' | 'remove', content?: string, reason?: string) => void
  line: (line: Json) => void
}

/** Two directories may share a name; the CLI lives with that, so do we. */
export const projectName = (cwd: string): string => cwd.replace(/[^a-zA-Z0-9]/g, '-')

export const fileOf = (config: string, cwd: string, session: string): string =>
  join(config, 'projects', projectName(cwd), `${session}.jsonl`)

/** A session is found from any directory. */
export const findTranscript = (config: string, session: string): string | undefined => {
  const projects = join(config, 'projects')
  if (!existsSync(projects)) return undefined
  return readdirSync(projects)
    .map((project) => join(projects, project, `${session}.jsonl`))
    .find((path) => existsSync(path))
}

/** The last line may be torn by a crash: it is left out. */
export const readTranscript = (path: string): Json[] => {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Json]
      } catch {
        return []
      }
    })
}

export const openTranscript = (
  path: string,
  facts: { session: string; cwd: string; version: string; keep: boolean; agent?: string | undefined },
): Transcript => {
  const past = facts.keep ? readTranscript(path) : []
  let parent = past.findLast((line) => typeof line.uuid === 'string')?.uuid ?? null
  const line = (given: Json): void => {
    if (!facts.keep) return
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    appendFileSync(path, `${JSON.stringify(given)}\n`, { mode: 0o600 })
  }
  const say = (type: string, message: Json, more: Json = {}): string => {
    const uuid = randomUUID()
    line({
      parentUuid: parent,
      isSidechain: facts.agent !== undefined,
      userType: 'external',
      cwd: facts.cwd,
      sessionId: facts.session,
      version: facts.version,
      gitBranch: '',
      ...(facts.agent === undefined ? {} : { agentId: facts.agent }),
      type,
      message,
      ...more,
      uuid,
      timestamp: new Date().toISOString(),
    })
    parent = uuid
    return uuid
  }
  return {
    path,
    past,
    line,
    user: (content, more) => say('user', { role: 'user', content }, more),
    assistant: (message, more) => say('assistant', message, more),
    queue: (operation, content, reason) =>
      line({
        type: 'queue-operation',
        operation,
        timestamp: new Date().toISOString(),
        sessionId: facts.session,
        ...(content === undefined ? {} : { content }),
        ...(reason === undefined ? {} : { reason }),
      }),
  }
}
