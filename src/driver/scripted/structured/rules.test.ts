import { expect, test } from 'vitest'
import { shape } from '../../../agent/reviewer/schema.ts'
import { mismatch } from './rules.ts'

const says = (words: string): string => `Output does not match required schema: ${words}`

test.each<[unknown, string | undefined]>([
  [{ decision: 'ALLOW', reason: '' }, undefined],
  [
    { decision: 'MAYBE', reason: '' },
    says('/decision: must be equal to one of the allowed values: ["ALLOW","DENY","ASK_USER"]'),
  ],
  [{ decision: 'ALLOW' }, says("root: must have required property 'reason'")],
  [{ decision: 'ALLOW', reason: 5 }, says('/reason: must be string')],
  [
    { decision: 'ALLOW', reason: '', x: 1 },
    says("root: must NOT have additional properties ('x' is not allowed)"),
  ],
  ['ALLOW', says('root: must be object')],
])('%j', (value, words) => expect(mismatch(shape, value)).toBe(words))
