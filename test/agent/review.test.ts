import { test } from 'vitest'
import { castOf } from './cast.ts'
import { gateCases, reviewCases } from './review.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries({ ...reviewCases, ...gateCases }))
  test(name, () => run(make), 240_000)
