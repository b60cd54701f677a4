import { heldCredential } from '../../config/credential/keep.ts'
import type { Environment } from '../../session/plan/schema.ts'

/** The login that agency keeps, for whoever is asked beside an agent. */
export const loginOf = async (root: string): Promise<Environment> => {
  const held = await heldCredential(root, 'claude-token')
  return 'value' in held ? { CLAUDE_CODE_OAUTH_TOKEN: held.value } : {}
}
