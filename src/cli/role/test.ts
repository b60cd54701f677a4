import { findRoot } from '../../config/root/find.ts'
import { tryExamples } from '../../role/example/rules.ts'
import { listRoles } from '../../role/list.ts'
import { loadRole } from '../../role/load.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { asInPod } from './pod.ts'
import { stateFor } from './state.ts'
import { type Tested, toldTests } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { lists, io } = call
  const pod = asInPod(call)
  const { directory: root } = await findRoot(where(io))
  const names = lists.role ?? (await listRoles(root, { pod })).map(({ name }) => name)
  const tested: Tested[] = []
  for (const name of names) {
    const { role } = await loadRole(root, name, { pod })
    tested.push({ role: name, tried: tryExamples(role, await stateFor(io, root, role)) })
  }
  const passed = tested.every(({ tried }) => tried.every((each) => each.passed))
  return {
    data: { passed, roles: tested.map(({ role, tried }) => ({ role, tests: tried })) },
    lines: toldTests(tested),
    exit: passed ? 0 : 1,
  }
}
