import { initRoot } from '../../config/root/init.ts'
import { namedPath } from '../../config/root/rules.ts'
import type { Handler } from '../io.ts'
import { ensureSchemas } from './schemas.ts'
import { typedPath, where } from './where.ts'

export const run: Handler = async ({ values, io }) => {
  const from = where(io)
  const named = io.env.AGENCY_ROOT || io.env.H2_DIR
  const wanted = values.dir ?? (named ? namedPath(named, from) : `${from.home}/.agency`)
  const directory = await initRoot(typedPath(io, wanted), from)
  await ensureSchemas(directory)
  return {
    data: { root: directory },
    lines: [
      `Made the root ${directory}`,
      'Next: `agency doctor` says what this machine still needs, `agency role init NAME` writes a role.',
    ],
  }
}
