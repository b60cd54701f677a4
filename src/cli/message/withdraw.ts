import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askWithdraw } from './ask.ts'
import { progress } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const message = await askWithdraw(root, call, call.values.id ?? '')
  return { data: { message }, lines: [progress(message)] }
}
