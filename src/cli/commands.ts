// Every command, in the order of the help. Handlers are loaded when they are needed: `--help` costs nothing.
import { approval } from './commands/approval.ts'
import { begin } from './commands/begin.ts'
import { budget } from './commands/budget.ts'
import { end } from './commands/end.ts'
import { look } from './commands/look.ts'
import { message } from './commands/message.ts'
import { permission } from './commands/permission.ts'
import { recipes } from './commands/recipes.ts'
import { review } from './commands/review.ts'
import { task } from './commands/task.ts'
import { work } from './commands/work.ts'
import type { Command } from './io.ts'

export const commands: readonly Command[] = [
  ...begin,
  ...look,
  ...permission,
  ...work,
  ...task,
  ...message,
  ...approval,
  ...budget,
  ...review,
  ...recipes,
  ...end,
]
