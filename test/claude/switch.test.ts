import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { switchCases } from '../agent/switch.ts'
import { brokenCases } from '../agent/switch-broken.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries({ ...switchCases, ...brokenCases }))
  test(`claude: ${name}`, () => run(make))
