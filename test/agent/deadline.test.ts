import { test } from 'vitest'
import { makeRig } from '../twin/rig.ts'
import { deadlineCases } from './deadline.ts'

for (const [name, run] of Object.entries(deadlineCases))
  test(name, () => run((scripts) => makeRig('scripted', scripts)))
