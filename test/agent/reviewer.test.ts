import { test } from 'vitest'
import { castOf } from './cast.ts'
import { reviewerCases } from './reviewer.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(reviewerCases)) test(name, () => run(make), 240_000)
