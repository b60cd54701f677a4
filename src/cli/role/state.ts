import { realpath } from 'node:fs/promises'
import type { State } from '../../permission/decide/schema.ts'
import type { Role } from '../../role/schema.ts'
import { sandboxOf } from '../../session/plan/rules.ts'
import type { Io } from '../io.ts'
import { where } from '../root/where.ts'

/** As an agent of the role would be judged that is launched from here. */
export const stateFor = async (io: Io, root: string, role: Role): Promise<State> => {
  const { cwd, home } = where(io)
  const real = (path: string): Promise<string> => realpath(path).catch(() => path)
  const tree = await real(cwd)
  return {
    place: { cwd: tree, tree, home, root: await real(root) },
    sandboxed: sandboxOf(role)?.tree === 'read-only',
  }
}
