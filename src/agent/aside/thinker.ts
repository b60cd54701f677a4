// Who is asked beside the agent: the program that thinks, and the environment of whoever pays for it.
import type { Driver } from '../../driver/driver.ts'
import type { Role } from '../../role/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { programFor } from '../headless/prepare.ts'

export type Thinker = {
  readonly program: string
  readonly driver: Driver
  readonly env: Environment
  /** What the scripted agent is to say. */
  readonly scenario?: string | undefined
}

/** The program of a role, in this environment. */
export const hosted = async (role: Role, env: Environment, scripted: string): Promise<Thinker> => {
  const found = await programFor(role, { env, scripted })
  const scenario = role.agent_type === 'scripted' ? (role.command[0] ?? env.AGENCY_SCENARIO) : undefined
  return { ...found, env, scenario }
}
