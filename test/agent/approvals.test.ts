import { test } from 'vitest'
import { approvalCases } from './approvals.ts'
import { castOf } from './cast.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(approvalCases)) test(name, () => run(make))
