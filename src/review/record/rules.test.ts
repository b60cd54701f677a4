import { expect, test } from 'vitest'
import { add } from '../attempt/rules.ts'
import type { Decision, Prompt } from '../schema.ts'
import { addDecision, addPrompt, fresh } from './rules.ts'

const prompt = (text: string, at: number): Prompt => ({ text, at })
const decision = (at: number, message = 'm'): Decision => ({
  verdict: 'ISSUES',
  summary: 's',
  message,
  by: 'process',
  at,
})

test('the newest prompts are kept, as far as there is room; the last one always', () => {
  const three = [prompt('a'.repeat(10_000), 1), prompt('b'.repeat(20_000), 2), prompt('c'.repeat(10_000), 3)]
  expect(addPrompt(three.slice(0, 2), three[2] as Prompt)).toEqual(three)
  expect(addPrompt(three, prompt('d', 4)).map(({ at }) => at)).toEqual([2, 3, 4])
  expect(addPrompt(three, prompt('d'.repeat(50_000), 4)).map(({ at }) => at)).toEqual([4])
  expect(addPrompt([], prompt('', 1))).toEqual([prompt('', 1)])
})

test('fifty verdicts are kept, the last one whole and the others in short', () => {
  let all: Decision[] = []
  for (let at = 1; at <= 60; at += 1) all = addDecision(all, decision(at, 'x'.repeat(5_000)))
  expect(all.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at + 11))
  expect(all.at(-1)?.message).toHaveLength(5_000)
  expect(all.slice(0, -1).map(({ message }) => message?.length)).toEqual(
    Array.from({ length: 49 }, () => 501),
  )
})

test('fifty attempts are kept', () => {
  let review = fresh('s', 0)
  for (let at = 1; at <= 60; at += 1)
    review = add(review, { id: `r${at}`, by: 'process', at, blocks: 0, outcome: 'success' })
  expect(review.attempts.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, at) => `r${at + 11}`))
})
