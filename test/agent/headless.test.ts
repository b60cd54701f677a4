import { test } from 'vitest'
import { castOf } from './cast.ts'
import { headlessCases } from './headless.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(headlessCases)) test(name, () => run(make))
