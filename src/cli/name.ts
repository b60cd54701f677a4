import { fail } from '../base/error/fail.ts'
import { name as nameSchema } from '../base/name/schema.ts'
import { check, sentence } from '../base/problem/rules.ts'

/** Names become paths, branches and sockets: checked before anything else happens. */
export const checkName = (what: string, value: string): string => {
  const checked = check(nameSchema, value)
  if ('value' in checked) return checked.value
  return fail('validation_error', {
    what: `The ${what} ${JSON.stringify(value)} ${checked.issues.map(sentence).join('; ')}.`,
  })
}
