import { test } from 'vitest'
import { castOf } from './cast.ts'
import { decideCases } from './decide.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(decideCases)) test(name, () => run(make))
