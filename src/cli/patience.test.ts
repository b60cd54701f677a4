import { expect, test } from 'vitest'
import { failure } from '../base/error/fail.ts'
import { throughLoss, whenReady } from './patience.ts'

const early = () => failure('not_ready', { what: 'agents/a' })
const lost = () => failure('connection_lost', { what: 'ECONNRESET' })
const hostGoes = () => failure('draining', { what: 'The host' })
const agentGoes = () => failure('draining', { what: 'agents/a' })
const other = () => failure('validation_error', { what: 'x' })

/** Fails so once, then answers. */
const once = (error: () => Error) => {
  let asked = 0
  return async (): Promise<string> => {
    asked += 1
    if (asked === 1) throw error()
    return `answered ${asked}`
  }
}
const come = (work: Promise<string>): Promise<string> => work.catch((error) => error.code)

test.each([
  ['early', early, 'answered 2', 'answered 2'],
  ['lost', lost, 'connection_lost', 'answered 2'],
  ['the host goes', hostGoes, 'draining', 'answered 2'],
  ['the agent goes', agentGoes, 'draining', 'draining'],
  ['anything else', other, 'validation_error', 'validation_error'],
  ['no error of ours', () => new Error('x'), undefined, undefined],
])('%s: asked once, asked again', async (_, error, ready, through) => {
  expect([await come(whenReady(once(error))), await come(throughLoss(once(error)))]).toEqual([ready, through])
})

test('patience ends', async () => {
  let asked = 0
  const never = async (): Promise<string> => {
    asked += 1
    throw lost()
  }
  expect([await come(throughLoss(never, -1)), asked]).toEqual(['connection_lost', 1])
})
