import * as z from 'zod'
import { ref } from '../../base/ref/schema.ts'

export const worktree = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether each agent works in a git worktree of its own.', default: false }),
    branch_from: ref
      .optional()
      .meta({ description: 'What the branch of the agent starts from.', default: 'main' }),
    use_detached_head: z
      .boolean()
      .optional()
      .meta({ description: 'Check out without making a branch.', default: false }),
  })
  .meta({ id: 'Worktree', description: 'A git worktree for each agent.' })
export type WorktreeFile = z.infer<typeof worktree>
