import { test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { messageCases } from '../agent/messages.ts'

for (const [name, play] of Object.entries(messageCases)) test(`claude: ${name}`, () => play(castOf('claude')))
