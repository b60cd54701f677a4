import { markerOf } from '../../config/root/look.ts'
import { upwards } from '../../config/root/rules.ts'
import { trustRoot } from '../../config/root/trust.ts'
import type { Handler, Io } from '../io.ts'
import { standing, typedPath, where } from './where.ts'

const above = async (io: Io): Promise<string> => {
  const cwd = standing(io)
  for (const directory of upwards(cwd)) if ((await markerOf(directory)) !== undefined) return directory
  return cwd
}

export const run: Handler = async ({ values, io }) => {
  const directory = values.dir === undefined ? await above(io) : typedPath(io, values.dir)
  const trusted = await trustRoot(directory, where(io))
  return {
    data: { root: trusted },
    lines: [`Trusted ${trusted}: its roles and hooks may now run as you.`],
  }
}
