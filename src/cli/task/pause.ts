import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askPause } from './ask.ts'
import { pausedLine } from './told/rules.ts'

export const pauseBy =
  (wanted: boolean): Handler =>
  async (call) => {
    const { directory: root } = await findRoot(where(call.io))
    const data = await askPause({ root, line: call }, wanted)
    const since = data.paused_since
    return { data, lines: [since === null ? 'Tasks that wait for an agent are begun.' : pausedLine(since)] }
  }

export const run: Handler = pauseBy(true)
