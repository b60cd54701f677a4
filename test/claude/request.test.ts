import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { requestCases } from '../agent/request.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(requestCases)) test(`claude: ${name}`, () => run(make))
