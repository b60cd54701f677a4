import { checkCredentials } from '../../config/credential/check.ts'
import { requireConfig } from '../../config/load.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'

export const run: Handler = async ({ io, values, progress }) => {
  const { directory: root } = await findRoot(where(io))
  const apis = await requireConfig(root, io.env)
  progress('asking the forges whose tokens these are …')
  const credentials = (await checkCredentials(root, apis)).filter(
    ({ name }) => (values.name ?? name) === name,
  )
  const rows = credentials.map(({ name, state, says, identity, next }) => [
    name,
    state,
    [identity && `${identity.name} <${identity.email}>`, says, next].filter(Boolean).join('; '),
  ])
  // Asked for one, a missing one is the answer "no"; asked for all, it may not be needed.
  const wrong = credentials.some(
    ({ state }) => state !== 'ready' && (state !== 'missing' || values.name !== undefined),
  )
  return { data: { credentials }, lines: table(rows), exit: wrong ? 1 : 0 }
}
