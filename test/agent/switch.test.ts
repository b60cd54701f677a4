import { test } from 'vitest'
import { castOf } from './cast.ts'
import { switchCases } from './switch.ts'
import { brokenCases } from './switch-broken.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries({ ...switchCases, ...brokenCases })) test(name, () => run(make))
