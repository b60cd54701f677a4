// One line of what is tried: a call of a tool, with whatever name its sender gives it.
import * as z from 'zod'

export const tried = z.object({
  id: z.union([z.string(), z.number(), z.null()]).default(null),
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
})
