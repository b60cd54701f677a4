import { failure } from '../base/error/fail.ts'
import type { Facts } from '../base/error/schema.ts'
import type { Refusal, WorktreeCode } from './schema.ts'

/** A refusal that was planned becomes the error a user reads. */
export const refusalOf = ({ code, facts }: Refusal) => failure(code, facts as Facts<WorktreeCode>)
