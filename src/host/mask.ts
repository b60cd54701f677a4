import { maskOf } from '../base/secret/rules.ts'
import { heldCredential } from '../config/credential/keep.ts'
import { credentialNames } from '../config/credential/schema.ts'

/** Takes the secrets of a root out of a text. Read anew: a credential may have been set meanwhile. */
export const maskFor = async (root: string, token: string): Promise<(text: string) => string> => {
  const held = await Promise.all(credentialNames.map((name) => heldCredential(root, name)))
  return maskOf([token, ...held.flatMap((one) => ('value' in one ? [one.value] : []))])
}
