// Lines of `--output-format stream-json`. Unknown types and fields are normal.
import * as z from 'zod'

const optionalText = z.string().optional().catch(undefined)
const optionalNumber = z.number().optional().catch(undefined)
const count = z.number().nonnegative().catch(0)

export const block = z.looseObject({
  type: z.string(),
  text: optionalText,
  id: optionalText,
  name: optionalText,
  input: z.unknown().optional(),
  tool_use_id: optionalText,
  is_error: z.boolean().optional().catch(undefined),
  content: z.unknown().optional(),
})
export type Block = z.infer<typeof block>

/** A message's content: text, or blocks; a block that cannot be read is left out. */
export const content = z.union([
  z.string(),
  z.array(z.unknown()).transform((items) => items.flatMap((item) => block.safeParse(item).data ?? [])),
])
export type Content = z.infer<typeof content>

const decision = z.looseObject({ decision: z.string() }).optional().catch(undefined)

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})

export const line = z.looseObject({
  type: z.string(),
  subtype: optionalText,
  session_id: optionalText,
  parent_tool_use_id: optionalText,
  model: optionalText,
  permissionMode: optionalText,
  message: z
    .looseObject({ content, id: optionalText, usage: usage.optional().catch(undefined) })
    .optional()
    .catch(undefined),
  is_api_error_message: z.boolean().optional().catch(undefined),
  error: z.unknown().optional(),
  api_error_status: optionalNumber,
  tool_result_meta: z
    .array(z.looseObject({ id: z.string(), non_execution_kind: optionalText, permission_decision: decision }))
    .optional()
    .catch(undefined),
  prompt_submit_outcome: z
    .looseObject({ kind: z.string(), reason: optionalText })
    .optional()
    .catch(undefined),
  prevent_continuation: z.boolean().optional().catch(undefined),
  content: optionalText,
  attempt: optionalNumber,
  max_retries: optionalNumber,
  retry_delay_ms: optionalNumber,
  error_status: optionalNumber,
  rate_limit_info: z
    .looseObject({ status: z.string(), resetsAt: optionalNumber })
    .optional()
    .catch(undefined),
})
export type Line = z.infer<typeof line>

export const modelUsage = z
  .record(
    z.string(),
    z.looseObject({
      inputTokens: count,
      outputTokens: count,
      cacheReadInputTokens: count,
      cacheCreationInputTokens: count,
    }),
  )
  .catch({})

export const resultLine = z.looseObject({
  type: z.literal('result'),
  subtype: z.string().catch(''),
  session_id: z.string(),
  // A result that does not say so is no success.
  is_error: z.boolean().catch(true),
  result: optionalText,
  errors: z.array(z.string()).optional().catch(undefined),
  terminal_reason: z.string().catch(''),
  num_turns: count,
  api_error_status: optionalNumber,
  api_error_type: optionalText,
  api_error: optionalText,
  total_cost_usd: count,
  modelUsage,
  permission_denials: z
    .array(z.looseObject({ tool_name: z.string(), tool_use_id: z.string(), tool_input: z.unknown() }))
    .catch([]),
  structured_output: z.unknown().optional(),
})
