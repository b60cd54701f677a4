import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { headlessCases } from '../agent/headless.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(headlessCases)) test(name, () => run(make))
