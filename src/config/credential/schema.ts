import * as z from 'zod'

export const credentialNames = ['claude-token', 'github-token', 'gitlab-token'] as const
export const credentialName = z.enum(credentialNames).meta({ description: 'A credential that agency keeps.' })
export type CredentialName = z.infer<typeof credentialName>

/** Who commits, as git is told: derived from a forge token. */
export const identity = z
  .strictObject({ name: z.string().min(1), email: z.string().min(3) })
  .meta({ id: 'Identity', description: 'Name and e-mail address of commits.' })
export type Identity = z.infer<typeof identity>

/** What can be said of a credential without saying it. */
export type CredentialState = {
  readonly name: CredentialName
  readonly state: 'ready' | 'missing' | 'unsafe' | 'bad'
  /** Absent for `ready` unless something is odd. */
  readonly says?: string
  readonly next?: string
  readonly identity?: Identity
}
