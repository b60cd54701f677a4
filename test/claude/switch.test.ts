import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { switchCases } from '../agent/switch.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(switchCases)) test(`claude: ${name}`, () => run(make))
