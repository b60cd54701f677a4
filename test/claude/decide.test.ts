import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { decideCases } from '../agent/decide.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(decideCases)) test(name, () => run(make))
