import type { Scope } from '../../budget/schema.ts'
import { checkName } from '../name.ts'

/** `coder-1` is an agent; `role/coder`, `pod/web` and `root` are what agents share. */
export const scopeOf = (who: string): Scope => {
  if (who === 'root') return who
  const [kind = '', ...rest] = who.split('/')
  if (rest.length === 0) return `agent/${checkName('agent name', who)}`
  return `${kind}/${checkName(`${kind} name`, rest.join('/'))}`
}
