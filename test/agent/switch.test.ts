import { test } from 'vitest'
import { castOf } from './cast.ts'
import { switchCases } from './switch.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(switchCases)) test(name, () => run(make))
