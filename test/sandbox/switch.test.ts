import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { walledSwitchCases } from '../agent/switch-walled.ts'
import { needWalls } from './kit.ts'

needWalls()

const make = castOf('scripted')
for (const [name, run] of Object.entries(walledSwitchCases)) test(name, () => run(make))
