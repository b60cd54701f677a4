import { test } from 'vitest'
import { budgetCases } from './budget.ts'
import { castOf } from './cast.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(budgetCases)) test(name, () => run(make))
