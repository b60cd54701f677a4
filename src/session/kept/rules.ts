import type { Role } from '../../role/schema.ts'
import type { PlannedFile, SandboxRequest } from '../plan/schema.ts'

/** What the reviewer of its requests for permission is told; none where it has no reviewer. */
export const reviewerFiles = (directory: string, { permissions }: Role): readonly PlannedFile[] => {
  const { enabled, instructions } = permissions.agent
  const path = `${directory}/permission-reviewer.md`
  return enabled ? [{ path, text: `${instructions.trimEnd()}\n`, mode: 0o600, once: false }] : []
}

export const keptIn = (directory: string): string => `${directory}/role.json`

export const keptFile = (
  directory: string,
  role: Role,
  tree: SandboxRequest['tree'] | undefined,
): PlannedFile => {
  const { name, permission_mode, capabilities, permissions, tools } = role
  const { allow, deny } = permissions
  const kept = {
    role: { name, permission_mode, capabilities, permissions: { allow, deny }, tools },
    tree: tree ?? null,
  }
  return { path: keptIn(directory), text: `${JSON.stringify(kept, null, 2)}\n`, mode: 0o600, once: false }
}
