// A signal ends the session in order: children first, then the SessionEnd hook, then the exit code.
import { endChildren } from '../tool/group.ts'
import { finish } from './begin.ts'
import type { Context } from './context.ts'

const codes = { SIGTERM: 143, SIGHUP: 129 } as const

/** `leaving`: nothing more may be said, the turn that was interrupted least of all. */
export const onSignals = (
  context: Context,
  ignoreTerm: boolean,
  leave: (code: number) => void,
): { leaving: () => boolean } => {
  let ending = false
  for (const [name, code] of Object.entries(codes) as [keyof typeof codes, number][]) {
    process.on(name, () => {
      if (ending || (ignoreTerm && name === 'SIGTERM')) return
      ending = true
      endChildren()
      void finish(context, 'other').finally(() => {
        endChildren()
        leave(code)
      })
    })
  }
  return { leaving: () => ending }
}
