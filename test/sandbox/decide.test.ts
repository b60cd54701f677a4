import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { walledCases } from '../agent/walled.ts'
import { needWalls } from './kit.ts'

needWalls()

const make = castOf('scripted')
for (const [name, run] of Object.entries(walledCases)) test(name, () => run(make))
