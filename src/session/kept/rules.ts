import type { Role } from '../../role/schema.ts'
import type { PlannedFile, SandboxRequest } from '../plan/schema.ts'
import type { KeptRole } from './schema.ts'

/** What the reviewer of its requests for permission is told; none where it has no reviewer. */
export const reviewerFiles = (directory: string, { permissions }: Role): readonly PlannedFile[] => {
  const { enabled, instructions } = permissions.agent
  const path = `${directory}/permission-reviewer.md`
  return enabled ? [{ path, text: `${instructions.trimEnd()}\n`, mode: 0o600, once: false }] : []
}

export const keptIn = (directory: string): string => `${directory}/role.json`

const judgedOf = (role: Role): KeptRole['role'] => {
  const { name, permission_mode, capabilities, permissions, tools } = role
  const { allow, deny } = permissions
  return { name, permission_mode, capabilities, permissions: { allow, deny }, tools }
}

export const keptOf = (role: Role, tree: SandboxRequest['tree'] | undefined): KeptRole => ({
  role: judgedOf(role),
  tree: tree ?? null,
  ...(role.review && { review: role.review }),
})

/** Both hold until the session is launched in the next. */
export const narrowedTo = (kept: KeptRole, next: Role): KeptRole => ({ ...kept, next: judgedOf(next) })

export const keptText = (kept: KeptRole): string => `${JSON.stringify(kept, null, 2)}\n`

export const keptFile = (
  directory: string,
  role: Role,
  tree: SandboxRequest['tree'] | undefined,
): PlannedFile => ({
  path: keptIn(directory),
  text: keptText(keptOf(role, tree)),
  mode: 0o600,
  once: false,
})
