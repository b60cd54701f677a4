// Marked secrets of a task within walls: as nowhere else as without them.
import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { printed } from '../agent/secrets.ts'
import { needWalls } from './kit.ts'

needWalls()

const make = castOf('scripted')
const role = 'permission_mode: bypassPermissions\n'

test.each(['full', 'none'])('printed in every spelling, with network: %s', (network) =>
  printed(make, { role, file: `role: s\nsandbox: { network: ${network} }\n` }),
)
