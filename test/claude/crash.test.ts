import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { crash } from '../agent/crash.ts'

test(
  'claude: the host is killed at any moment: each task once, and what is told of it is true',
  () => crash(castOf('claude'), { seed: 1, rounds: 6 }),
  300_000,
)
