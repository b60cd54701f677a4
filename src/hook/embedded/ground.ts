// Where the gate without a host stands: its root and what is written there about reviews.
import { AgencyError } from '../../base/error/fail.ts'
import { readText } from '../../base/file/read.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot, type Root, type Where } from '../../config/root/find.ts'
import type { Setting } from '../../review/schema.ts'
import { settingOf } from '../../review/setting/rules.ts'
import { isUntouched } from './rules.ts'
import type { Env } from './schema.ts'
import { withVariables } from './variable/rules.ts'

/** undefined = there is none yet. A cloned repository neither supplies settings nor takes mine away. */
export const rootOf = async (where: Where): Promise<Root | undefined> => {
  try {
    return await findRoot(where)
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    if (error.code === 'root_none') return undefined
    if (error.code === 'root_untrusted' && where.cwd !== '/') return rootOf({ ...where, cwd: '/' })
    throw error
  }
}

/** Whether there is more to read than what `init` writes. Reading it takes longer than all the rest. */
const isWritten = async (file: string): Promise<boolean> => {
  const read = await readText(file)
  return 'trouble' in read ? read.trouble !== 'missing' : !isUntouched(read.text)
}

/** Never defaults in place of a file that cannot be read: whoever wrote gates wants them closed. */
export const settingAt = async (root: Root | undefined, env: Env): Promise<Setting> => {
  const written = root !== undefined && (await isWritten(layout(root.directory).config))
  const { requireConfig } = written ? await import('../../config/load.ts') : {}
  const file = await requireConfig?.(root?.directory ?? '', env)
  const setting = withVariables(settingOf(file?.review ?? {}, undefined), env)
  // No host could run a reviewer here.
  return { ...setting, reviewer: { ...setting.reviewer, kind: 'subagent' } }
}
