import { pauseBy } from './pause.ts'

export const run = pauseBy(false)
