// What a headless agent waits for people with: how long, and that it is shown as blocked meanwhile.
import type { Approvals } from '../../approval/desk.ts'
import { isOpen } from '../../approval/rules.ts'
import { milliseconds } from '../../base/duration/rules.ts'
import type { ComponentState } from '../../registry/schema.ts'
import { headlessPatience } from '../../role/approval/schema.ts'
import { askerOf } from '../escalate.ts'
import type { AgentFile } from '../schema.ts'
import { roleFor } from './prepare.ts'

export type QuestionsOptions = {
  readonly root: string
  readonly file: () => AgentFile
  readonly approvals: Approvals
  /** The session of the attempt that runs. */
  readonly session: () => string | undefined
  readonly report: (state: ComponentState, message?: string) => void
}

export const questionsOf = ({ root, file, approvals, session, report }: QuestionsOptions) => {
  /** What the reviewer thinks about. */
  let reviews = 0
  let inspections = 0
  /** Busy, with its work or with waiting. */
  const busy = (): void => {
    const running = session()
    if (running === undefined) return
    const [asked] = approvals.list(running).filter(isOpen)
    const [work] = approvals.list(askerOf(running)).filter(isOpen)
    if (asked !== undefined) report('blocked', `permission: ${asked.tool}, ${asked.id}`)
    else if (work !== undefined) report('blocked', `in review: ${work.id}`)
    else report('working', reviews > 0 ? 'permission review' : inspections > 0 ? 'in review' : undefined)
  }
  return {
    busy,
    thinking: (begins: boolean): void => {
      reviews += begins ? 1 : -1
      busy()
    },
    /** Its work is looked at. */
    inspecting: (begins: boolean): void => {
      inspections += begins ? 1 : -1
      busy()
    },
    /** A role that cannot be read any more does not make people's time longer. */
    patience: async (): Promise<number> => {
      const role = await roleFor(root, file()).catch(() => undefined)
      return milliseconds(role?.approvals?.expire ?? headlessPatience)
    },
    close: approvals.watch((approval) => {
      const running = session()
      if (running !== undefined && [running, askerOf(running)].includes(approval.session)) busy()
    }),
  }
}
