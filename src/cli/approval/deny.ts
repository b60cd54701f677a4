import type { Handler } from '../io.ts'
import { answerWith } from './answer.ts'

export const run: Handler = (call) => answerWith(call, 'deny')
