// What a model would say, as data. The scripted agent plays it itself; the scripted Messages API plays it
// to the real CLI. One file, two programs: that is how the stand-in is kept honest.
import * as z from 'zod'

export const call = z.strictObject({
  name: z.string().meta({ description: 'A tool of the CLI: Bash, Write, Edit, Read, Agent, …' }),
  input: z.record(z.string(), z.unknown()).meta({
    description:
      'In its texts `{{heard:REGEX}}` is what the first group of the last match holds, in all that was said or added by hooks.',
  }),
})

/** One answer of the model: text, tool calls, or an error of the API. */
export const reply = z.strictObject({
  text: z.string().optional(),
  calls: z.array(call).optional(),
  /** How long the answer takes to begin, and between its pieces. */
  delay_ms: z.int().min(0).optional(),
  piece_delay_ms: z.int().min(0).optional(),
  stop: z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal']).optional(),
  usage: z.strictObject({ input: z.int().min(0), output: z.int().min(0) }).optional(),
  /** Answered instead of a message. `cut` closes the connection in the middle. */
  error: z
    .strictObject({
      status: z.int().optional(),
      type: z.string().optional(),
      message: z.string().optional(),
      retry_after: z.int().optional(),
      cut: z.boolean().optional(),
    })
    .optional(),
  /** How many times this reply is given before the next one is; 0 = for ever. */
  times: z.int().min(0).optional(),
})

/** The replies to one kind of prompt. The first script that matches and has replies left speaks. */
export const script = z.strictObject({
  /** Part of the text that the person (or hook, or task notification) said last; absent = any. */
  match: z.string().optional(),
  /** Only for a subagent (or, false, only for the main conversation). */
  subagent: z.boolean().optional(),
  replies: z.array(reply).min(1),
})

/** What the program itself does wrong; a real CLI has no switch for these, so its twin provokes them. */
export const trouble = z.strictObject({
  ignore_sigterm: z.boolean().optional(),
  hang_at_start: z.boolean().optional(),
  crash_at_start: z.int().min(1).max(255).optional(),
  /** Never calls a hook: an agent that got away from supervision. */
  no_hooks: z.boolean().optional(),
})

export const scenario = z
  .strictObject({ scripts: z.array(script), trouble: trouble.optional() })
  .meta({ id: 'Scenario', description: 'What a scripted model says.' })

export type Call = z.infer<typeof call>
export type Reply = z.infer<typeof reply>
export type Script = z.infer<typeof script>
export type Scenario = z.infer<typeof scenario>
