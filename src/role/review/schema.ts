// When work is looked at before it counts, and by whom.
import * as z from 'zod'

const gates = z
  .strictObject({
    tools: z.array(z.string().trim().min(1)).optional().meta({
      description: 'Calls that need a review first: `mcp__tissue__close*`, `Bash:gh issue close*`.',
    }),
    approval_scope: z.enum(['session', 'prompt', 'tool']).optional().meta({
      description: 'How far one approval reaches: the session, the prompt, or this exact call.',
      default: 'prompt',
    }),
    approval_ttl_seconds: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'After how many seconds an approval is void, whatever its scope.' }),
  })
  .meta({ description: 'Tool calls that need a review first.' })

const breaker = z
  .strictObject({
    max_blocks: z.int().min(1).optional().meta({ description: 'Blocks before it trips.', default: 3 }),
    cooldown_seconds: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Seconds until it resets.', default: 300 }),
  })
  .meta({ description: 'Frees the end of a turn when reviews go in circles; it never opens a gate.' })

const templates = z
  .strictObject({
    active: z
      .string()
      .optional()
      .meta({ description: 'The template to use, or `random` by weight.', default: 'random' }),
    weights: z
      .record(z.string(), z.number().min(0))
      .optional()
      .meta({ description: 'How often each template is used.' }),
  })
  .meta({ description: 'Which text asks for a review.' })

export const review = z
  .strictObject({
    mode: z.enum(['prompt', 'always', 'never']).optional().meta({
      description: 'When finished work is reviewed: for prompts that begin with `#roz`, always, or never.',
      default: 'prompt',
    }),
    reviewer: z.enum(['process', 'subagent']).optional().meta({
      description: '`process`: a session of its own, run by the host. `subagent`: inside the session.',
      default: 'process',
    }),
    gates: gates.optional(),
    circuit_breaker: breaker.optional(),
    templates: templates.optional(),
    trace: z
      .strictObject({
        max_events: z
          .int()
          .min(10)
          .optional()
          .meta({ description: 'Events kept for each session.', default: 500 }),
      })
      .optional()
      .meta({ description: 'What is kept for `agency review trace`.' }),
  })
  .meta({ id: 'Review', description: 'When work is looked at before it counts.' })
export type ReviewFile = z.infer<typeof review>
