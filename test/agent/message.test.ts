import { test } from 'vitest'
import { castOf } from './cast.ts'
import { messageCases } from './messages.ts'

for (const [name, play] of Object.entries(messageCases)) test(name, () => play(castOf('scripted')))
