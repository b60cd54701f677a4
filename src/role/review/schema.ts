// When work is looked at before it counts, and by whom.
import * as z from 'zod'

const call = z.union([
  z.string().trim().min(1),
  z.strictObject({
    tool: z.string().min(1).meta({ description: 'The tool.' }),
    input: z.record(z.string(), z.unknown()).meta({ description: 'What it is called with.' }),
  }),
])

const pattern = z.string().trim().min(1).max(2_000)

export const gatePattern = z.union([
  pattern,
  z.strictObject({
    pattern: pattern.meta({ description: 'The calls.' }),
    match: z
      .array(call)
      .optional()
      .meta({ description: 'Calls that it must stop; checked when the file is read.' }),
    not_match: z
      .array(call)
      .optional()
      .meta({ description: 'Calls that it must leave alone; checked when the file is read.' }),
  }),
])
export type GatePattern = z.infer<typeof gatePattern>

const gates = z
  .strictObject({
    tools: z.array(gatePattern).max(200).optional().meta({
      description: 'Calls that need a review first: `mcp__tissue__close*`, `Bash:gh issue close*`.',
    }),
    skip: z.array(pattern).max(200).optional().meta({
      description: 'Calls that never need one, whatever `tools` says: `Bash:gh issue close --help`.',
      default: [],
    }),
    approval_scope: z.enum(['session', 'prompt', 'tool']).optional().meta({
      description: 'How far one approval reaches: the session, the prompt, or this exact call, once.',
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
    max_blocks: z.int().min(1).max(1000).optional().meta({
      description: 'How often the end of a turn is refused before it is released with a warning.',
      default: 3,
    }),
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
      .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i), z.number().min(0))
      .optional()
      .meta({ description: 'How often each template is used.' }),
  })
  .meta({ description: 'Which text asks for a review.' })

const kind = z.enum(['process', 'subagent']).meta({
  description: '`process`: a session of its own, run by the host. `subagent`: inside the session.',
})

const opinion = z
  .strictObject({
    model: z.string().min(1).optional().meta({ description: 'Another model that is asked the same.' }),
    command: z.array(z.string().min(1)).min(1).optional().meta({
      description:
        'A program that is asked the same: it gets the text on stdin and prints `{"verdict", "summary"}`.',
    }),
  })
  .refine(({ model, command }) => (model === undefined) !== (command === undefined), {
    error: 'needs `model` or `command`, one of them',
  })
  .meta({ description: 'Who else is asked after COMPLETE; who disagrees turns it to ISSUES.' })

const reviewer = z.strictObject({
  kind: kind.optional(),
  model: z.string().min(1).optional().meta({ description: 'The model of the reviewer.' }),
  instructions: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ description: 'What the reviewer looks for, in place of the text that ships.' }),
  deadline_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .meta({ description: 'After how many seconds it has failed.', default: 600 }),
  second_opinion: opinion.optional(),
})

export const review = z
  .strictObject({
    mode: z.enum(['prompt', 'always', 'never']).optional().meta({
      description: 'When finished work is reviewed: for prompts that begin with `#roz`, always, or never.',
      default: 'prompt',
    }),
    reviewer: z
      .union([kind, reviewer])
      .optional()
      .meta({ description: 'Who reviews: `process`, `subagent`, or more about it.', default: 'process' }),
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
    bind_tree: z.boolean().optional().meta({
      description: 'A verdict holds for the files as they were: changed work is reviewed again.',
      default: false,
    }),
  })
  .meta({ id: 'Review', description: 'When work is looked at before it counts.' })
export type ReviewFile = z.infer<typeof review>
