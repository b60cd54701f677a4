import { homedir } from 'node:os'
import type { Where } from '../../config/root/schema.ts'
import type { Io } from '../io.ts'

/** What a root is looked for with. */
export const where = ({ env, cwd }: Io): Where => ({ env, cwd, home: env.HOME || homedir() })
