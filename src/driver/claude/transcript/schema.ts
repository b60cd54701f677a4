// Lines of a session's transcript file. It holds many more kinds than are read here.
import * as z from 'zod'
import { content, modelUsage } from '../stream/schema.ts'

const optionalText = z.string().optional().catch(undefined)
const optionalNumber = z.number().optional().catch(undefined)

export const line = z.looseObject({
  type: z.string(),
  subtype: optionalText,
  operation: optionalText,
  content: z.unknown().optional(),
  reason: optionalText,
  promptId: optionalText,
  promptSource: optionalText,
  origin: z.looseObject({ kind: z.string() }).optional().catch(undefined),
  isMeta: z.boolean().optional().catch(undefined),
  isSidechain: z.boolean().optional().catch(undefined),
  isApiErrorMessage: z.boolean().optional().catch(undefined),
  agentId: optionalText,
  message: z.looseObject({ content }).optional().catch(undefined),
  attachment: z.looseObject({ type: z.string() }).optional().catch(undefined),
  toolDenialKind: optionalText,
  permissionDecision: z.looseObject({ decision: z.string() }).optional().catch(undefined),
  error: z.unknown().optional(),
  apiErrorStatus: optionalNumber,
  retryAttempt: optionalNumber,
  maxRetries: optionalNumber,
  totalCostUSD: optionalNumber,
  modelUsage,
})
export type Line = z.infer<typeof line>
