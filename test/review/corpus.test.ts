// The cases of the corpus that are about reviews, on the gate's own file.
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReviewFile } from '../../src/review/schema.ts'
import { program, world } from '../cli/kit.ts'
import { closing, deskOn, gateFile, place, secretOf, written } from './kit.ts'

type Case = { id: string; input: { argv?: string[] }; expect: { exit?: number; stderr_has?: string[] } }
const corpus = JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[]
const found = (id: string): Case => corpus.find((each) => each.id === id) ?? expect.fail(`there is no ${id}`)

const once: ReviewFile = { ...written, gates: { ...written.gates, approval_scope: 'tool' } }

test('i112 self approval: refused by its words, and no decision is recorded', async () => {
  const { input, expect: expected } = found('i112')
  const at = world()
  expect((await at.agency(['init'])).code).toBe(0)
  const { of, reviews } = await gateFile(at.root)
  await of('abcd-1').gate(closing(1), { place })
  const roz = join(at.folder, 'roz')
  symlinkSync(program, roz)
  const argv = (input.argv ?? []).map((word) => word.replace('$SESSION', 'abcd-1'))
  const { code, err } = await at.agency(argv, { as: roz, env: { CLAUDECODE: '1' } })
  expect(code).toBe(expected.exit)
  for (const words of expected.stderr_has ?? []) expect(err).toContain(words)
  expect(await reviews.find('abcd-1')).toMatchObject({ state: 'pending', decisions: [], refused: 1 })
})

test('i113 an approval is for its input: another one is refused, and so is the same a second time', async () => {
  found('i113')
  const one = (await deskOn(':memory:')).of('s', once)
  const ask = (number: number, call = `c${number}`) => one.gate({ ...closing(number), id: call }, { place })
  expect(await ask(1)).toMatchObject({ kind: 'closed', need: 'spawn' })
  await one.decide({ verdict: 'COMPLETE', summary: 'ok' }, { kind: 'subagent', secret: await secretOf(one) })
  expect(await ask(2)).toMatchObject({ kind: 'closed' })
  expect(await ask(1)).toEqual({ kind: 'pass' })
  expect(await ask(1, 'again')).toMatchObject({ kind: 'closed' })
})

test('i116 the breaker frees the end of the turn, and opens no gate', async () => {
  found('i116')
  const one = (await deskOn(':memory:')).of('s', { ...written, circuit_breaker: { max_blocks: 3 } })
  await one.prompted({ text: '#roz Go.', person: true })
  const stop = async (again: boolean) => (await one.stop({ again, background: false })).kind
  expect([await stop(false), await stop(true), await stop(true), await stop(true)]).toEqual([
    'block',
    'block',
    'block',
    'pass',
  ])
  for (let count = 0; count < 10; count++)
    expect(await one.gate(closing(1), { place })).toMatchObject({ kind: 'closed' })
})
