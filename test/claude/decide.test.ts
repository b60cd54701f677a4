import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { decideCases } from '../agent/decide.ts'
import { walledCases } from '../agent/walled.ts'
import { needWalls } from '../sandbox/kit.ts'

needWalls()

const make = castOf('claude')
for (const [name, run] of Object.entries({ ...decideCases, ...walledCases })) test(name, () => run(make))
