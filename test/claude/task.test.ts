import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { taskCases } from '../agent/tasks.ts'

for (const [name, play] of Object.entries(taskCases)) test(`claude: ${name}`, () => play(castOf('claude')))
