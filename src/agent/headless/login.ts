// Whether Claude knows who it works for: said while the agent is idle, not with the first task that fails.
import { isLoggedIn, loginAdvice } from '../../session/plan/env/rules.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { credentialsOf } from '../../session/prepare.ts'
import type { AgentFile } from '../schema.ts'
import { roleFor } from './prepare.ts'

export type LoginOptions = {
  readonly root: string
  readonly file: () => AgentFile
  readonly env: Environment
  /** Told when it is not what it was. */
  readonly changed: (advice: string | undefined) => void
}

const pause = 5_000

export type Login = {
  /** Looks now, and again while something is missing. Resolves after the first look. */
  look(): Promise<void>
  close(): void
}

export const loginOf = (options: LoginOptions): Login => {
  const { root, file, env, changed } = options
  let timer: NodeJS.Timeout | undefined
  let known: string | undefined
  let over = false
  const look = async (): Promise<void> => {
    clearTimeout(timer)
    const role = await roleFor(root, file())
    const credentials = await credentialsOf(root, role)
    const advice = role.agent_type !== 'claude' || isLoggedIn({ env, credentials }) ? undefined : loginAdvice
    if (over) return
    if (advice !== known) changed(advice)
    known = advice
    // A role that cannot be read for a moment is told by the task that needs it.
    if (advice !== undefined) timer = setTimeout(() => void look().catch(() => {}), pause).unref()
  }
  return {
    look,
    close: () => {
      over = true
      clearTimeout(timer)
    },
  }
}
