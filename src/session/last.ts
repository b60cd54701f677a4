// The last session of an agent, living or ended: what it was launched with, and where its transcript lies.
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { layout } from '../config/layout/rules.ts'
import { claude } from '../driver/claude/driver.ts'
import { readHeard, readSessionFile } from './heard.ts'
import type { SessionFile } from './plan/schema.ts'

export type Last = {
  readonly directory: string
  readonly file: SessionFile
  /** Of its conversation. */
  readonly transcript: string
  /** Something of it was heard before. */
  readonly spoke: boolean
}

/** Paths are the same for every version that is driven. */
const reader = claude('2.1.325')

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const whyNone = async (directory: string): Promise<string> => {
  if (!(await exists(directory))) return 'none was launched under that name, or it was removed since'
  return (await exists(join(directory, 'session.json')))
    ? `${join(directory, 'session.json')} cannot be read or understood`
    : 'it ran a plain command, which remembers nothing'
}

/** `what` is meant to be done with it, for the words of a refusal. */
export const lastSession = async (
  root: string,
  agent: string,
  what: 'resume' | 'fork' | 'switch',
): Promise<Last> => {
  const directory = layout(root).session(agent)
  const file = await readSessionFile(directory)
  if (file === undefined) return fail('session_unknown', { agent, what, why: await whyNone(directory) })
  if (file.agent_type === 'command')
    fail('session_unknown', { agent, what, why: 'it ran a plain command, which remembers nothing' })
  const heard = await readHeard(directory)
  const usual = reader.transcriptPath(join(directory, '.claude'), file.cwd, file.session_id)
  return {
    directory,
    file,
    transcript: join(dirname(heard?.path ?? usual), `${file.session_id}.jsonl`),
    spoke: (heard?.offset ?? 0) > 0,
  }
}
