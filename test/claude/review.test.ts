import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { gateCases, reviewCases } from '../agent/review.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries({ ...reviewCases, ...gateCases }))
  test(`claude: ${name}`, () => run(make), 240_000)
