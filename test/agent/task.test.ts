import { test } from 'vitest'
import { castOf } from './cast.ts'
import { taskCases } from './tasks.ts'

for (const [name, play] of Object.entries(taskCases)) test(name, () => play(castOf('scripted')))
