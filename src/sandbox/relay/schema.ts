// What a keeper is told of the walls around its child: which sockets to open for them, and what may pass.
import * as z from 'zod'

/** Where the model really is, and the key that the agent never sees. */
export const model = z.object({
  base: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()),
  /** More certificates to trust, as PEM. */
  ca: z.string().optional(),
})
export type Model = z.infer<typeof model>

export const relayOrder = z.object({
  socket: z.string().startsWith('/'),
  /** As in a role's `allowed_hosts`; none = only the model. */
  hosts: z.array(z.string()),
  model: model.optional(),
})
export type RelayOrder = z.infer<typeof relayOrder>

export const keptWalls = z.object({
  /** Absent where the network of this machine is shared. */
  doors: z
    .object({
      /** Leads to the keeper's own listener. */
      hooks: z.string().startsWith('/'),
      relay: relayOrder,
    })
    .optional(),
})
export type KeptWalls = z.infer<typeof keptWalls>

/** Inside, on 127.0.0.1. Below the ports that a keeper can have. */
export const egressPort = 3128
