// What `agency validate` says of a pod template.
import { checkRoleName } from '../agent/kind.ts'
import type { Remark } from '../base/remark/rules.ts'
import type { Context, Kind } from '../config/validate/schema.ts'
import { checkPod } from './rules.ts'
import { type PodFile, podFile } from './schema.ts'

const checkFile = async (template: PodFile, { root }: Context): Promise<Remark[]> => {
  const roles = template.agents.map(({ role }, place) =>
    checkRoleName(role, root, { keys: ['agents', place, 'role'], pod: true }),
  )
  return [...checkPod(template), ...(await Promise.all(roles)).flat()]
}

export const podKind: Kind = {
  name: 'pod',
  places: ['pods/templates/*.yaml'],
  schema: podFile,
  check: checkFile,
}
