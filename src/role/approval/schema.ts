import * as z from 'zod'
import { duration } from '../../base/duration/schema.ts'

/** Where nobody sits at a terminal, a question that nobody answers must not hold a task for ever. */
export const headlessPatience = '1h'

export const approvals = z
  .strictObject({
    expire: duration.optional().meta({
      description:
        'How long a question waits for a person before it is denied. Headless tasks: 1h unless said; at a terminal the dialog stays.',
    }),
  })
  .meta({ id: 'ApprovalSettings', description: 'How long people may take to answer.' })
