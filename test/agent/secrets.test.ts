import { test } from 'vitest'
import { castOf } from './cast.ts'
import { secretCases } from './secrets.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(secretCases)) test(name, () => run(make))
