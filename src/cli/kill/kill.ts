// Ends everything of a root without asking the host, which may be the one that hangs.
import { type Ending, end } from '../../base/process/end.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { type Running, running } from '../trace/find.ts'

const grace = 5000
const words: Record<Ending, string> = {
  absent: 'had already ended',
  ended: 'ended',
  killed: 'did not obey TERM and was killed',
  survived: 'is STILL THERE after KILL (stuck in the kernel)',
}

export const run: Handler = async ({ io, flags, progress }) => {
  const { directory: root } = await findRoot(where(io))
  const found = await running(root)
  const show = ({ what, pid }: Running): string => `${what} (pid ${pid})`
  if (flags.has('dry-run')) {
    const lines =
      found.length === 0 ? [`Nothing of ${root} runs.`] : found.map((each) => `Would end: ${show(each)}`)
    return { data: { root, found }, lines }
  }
  if (found.length > 0) progress(`ending ${found.length} of ${root}: TERM, ${grace / 1000} s, KILL …`)
  // All at once: a host that is told to end must not wait for those below it.
  const endings = await Promise.all(
    found.map(async (each) => ({ ...each, ending: await end(each, { grace }) })),
  )
  const left = endings.filter(({ ending }) => ending === 'survived')
  const lines = endings.map((each) => `${show(each)} ${words[each.ending]}`)
  return {
    data: { root, ended: endings, left: left.length },
    lines: found.length === 0 ? [`Nothing of ${root} runs.`] : lines,
    exit: left.length === 0 ? 0 : 1,
  }
}
