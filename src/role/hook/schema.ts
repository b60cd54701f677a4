// Hooks of a role, in the short form (`matcher`, `command`, `timeout`) or in Claude's own (`matcher`, `hooks`).
import * as z from 'zod'
import { type EventName, events, longestTimeout, ownHook } from '../../driver/claude/settings/schema.ts'

const timeout = z
  .number()
  .positive()
  .max(longestTimeout)
  .optional()
  .meta({ description: 'Seconds it may take.' })
const command = z.string().trim().min(1)

export const hookEntry = z
  .strictObject({
    matcher: z.string().optional().meta({ description: 'Which tools or sources; empty = all.' }),
    command: command.optional().meta({ description: 'Short form: the shell command to run.' }),
    timeout,
    hooks: z
      .array(ownHook)
      .min(1)
      .optional()
      .meta({ description: "Claude's own form: what runs, in order." }),
  })
  .refine((entry) => (entry.command === undefined) !== (entry.hooks === undefined), {
    error: 'needs either command (short form) or hooks (the form of Claude), not both',
  })
  .refine((entry) => entry.hooks === undefined || entry.timeout === undefined, {
    path: ['timeout'],
    error: 'belongs to each of the hooks below it',
  })
export type HookEntry = z.infer<typeof hookEntry>

const entries = z.array(hookEntry).optional()
const shape = Object.fromEntries(
  events.map((event) => [event, entries.meta({ description: `Runs on ${event}.` })]),
) as Record<EventName, typeof entries>

export const hooks = z
  .strictObject(shape)
  .meta({ id: 'Hooks', description: 'Hooks that run beside those of agency.' })
export type Hooks = z.infer<typeof hooks>
