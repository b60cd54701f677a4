import { test } from 'vitest'
import { approvalCases } from '../agent/approvals.ts'
import { castOf } from '../agent/cast.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(approvalCases)) test(`claude: ${name}`, () => run(make))
