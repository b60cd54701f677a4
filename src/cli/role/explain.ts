import { fail } from '../../base/error/fail.ts'
import { requireConfig } from '../../config/load.ts'
import { findRoot } from '../../config/root/find.ts'
import { othersOf } from '../../permission/alias/look.ts'
import { foresee } from '../../permission/decide/foresee/rules.ts'
import { pathsOf } from '../../permission/decide/rules.ts'
import { lookAt } from '../../permission/look.ts'
import { gateOpinion } from '../../review/gate/rules.ts'
import { settingOf } from '../../review/setting/rules.ts'
import { readCall } from '../../role/example/rules.ts'
import { loadRole } from '../../role/load.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { asInPod } from './pod.ts'
import { stateFor } from './state.ts'
import { explained } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { values, io } = call
  const { directory: root } = await findRoot(where(io))
  const { role } = await loadRole(root, values.role ?? '', { pod: asInPod(call) })
  const read = readCall(values.call ?? '')
  if ('problem' in read)
    return fail('validation_error', { what: `The call cannot be read: ${read.problem}.` })
  const { review } = await requireConfig(root, io.env)
  const ground = await stateFor(io, root, role)
  const others = await othersOf(read.call, ground.place, io.env.PATH ?? '')
  const gate = gateOpinion(settingOf(review, role.review), read.call, ground.place, others)
  const state = { ...ground, others, ...(gate && { gate }) }
  const foreseen = foresee(role, state, read.call, await lookAt(pathsOf(read.call, state.place)))
  const { verdict, decision, native } = foreseen
  return {
    data: {
      role: role.name,
      call: read.call,
      verdict,
      by: native === undefined ? decision.by : { layer: 'claude', ...native },
      layers: decision.opinions,
      ...(native === undefined ? {} : { claude: native }),
    },
    lines: explained(role, foreseen),
  }
}
