import { expect, test } from 'vitest'
import { turnsOf } from './turns.ts'

const never = new AbortController().signal

test('so many at once, the others in order, and nobody who has left', async () => {
  const turns = turnsOf(2)
  const [one, two] = await Promise.all([turns.take(never), turns.take(never)])
  const told: string[] = []
  const wait = async (name: string, signal: AbortSignal = never) => {
    const back = await turns.take(signal)
    told.push(back === undefined ? `${name} left` : name)
    return back
  }
  const leaving = new AbortController()
  const [three, left, four] = [wait('three'), wait('left', leaving.signal), wait('four')]
  leaving.abort()
  await left
  expect(told).toEqual(['left left'])
  one?.()
  one?.()
  await three
  // Given back twice it is still one turn.
  expect(await Promise.race([four.then(() => 'four'), Promise.resolve('nobody')])).toBe('nobody')
  two?.()
  await four
  expect(told).toEqual(['left left', 'three', 'four'])
  expect(await turns.take(AbortSignal.abort())).toBe(undefined)
})
