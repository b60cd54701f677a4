import { test } from 'vitest'
import { castOf } from './cast.ts'
import { crash } from './crash.ts'

test(
  'the host is killed at any moment: each task once, and what is told of it is true',
  () => crash(castOf('scripted'), { seed: 1, rounds: 6 }),
  300_000,
)
