// Without a host: the rules that the session was launched under, then its reviewer. Who would ask a person says nothing.
import { forbidsOf, keptLaw } from '../../../agent/judge.ts'
import { roleOf } from '../../../agent/patience.ts'
import { reviewersOf } from '../../../agent/reviewer/reviewer.ts'
import { layout } from '../../../config/layout/rules.ts'
import type { Answer } from '../../../driver/schema.ts'
import { findKeeper } from '../../../keeper/find.ts'
import { readSessionFile } from '../../../session/heard.ts'
import { programs } from '../../../session/programs.ts'

export type Alone = {
  readonly root: string
  readonly agent: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** The session that asks. */
  readonly by?: string | undefined
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly patience: number
}

const none: Answer = { kind: 'none' }

export const askAlone = async (asked: Alone): Promise<Answer> => {
  const { root, agent, tool, input, by, env } = asked
  const directory = layout(root).session(agent)
  const file = await readSessionFile(directory)
  if (file === undefined) return none
  // Its keeper holds the hook of its own until there is a host again.
  if (by === file.session_id && (await findKeeper(directory)) !== undefined) return none
  const cwd = asked.cwd ?? file.cwd
  const role = () => roleOf(root, file)
  const forbids = forbidsOf({
    law: keptLaw(directory, role).law,
    ground: { root, tree: file.cwd, session: directory },
  })
  const why = await forbids(tool, input, cwd)
  if (why !== undefined) return { kind: 'deny', reason: why }
  const reviewers = reviewersOf({
    root,
    env,
    scripted: () => programs().scripted,
    now: Date.now,
    // Only a host writes the journal.
    record: () => {},
    mask: async () => (text) => text,
    deadline: asked.patience,
  })
  const review = reviewers.of({ subject: file.session_id, kin: file.role, directory, role })
  const { verdict, reason } = await review({ agent, session: file.session_id, tool, input, cwd })
  if (verdict === 'allow') return { kind: 'allow' }
  return verdict === 'deny' ? { kind: 'deny', reason: `Denied by the reviewer: ${reason}` } : none
}
