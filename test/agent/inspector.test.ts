import { test } from 'vitest'
import { makeRig } from '../twin/rig.ts'
import { inspectorCases, type MakeRig } from './inspector.ts'

const make: MakeRig = (scripts) => makeRig('scripted', ({ work }) => scripts(work))
for (const [name, run] of Object.entries(inspectorCases)) test(name, () => run(make), 120_000)
