import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { secretCases } from '../agent/secrets.ts'

const make = castOf('claude')
for (const [name, run] of Object.entries(secretCases)) test(name, () => run(make))
