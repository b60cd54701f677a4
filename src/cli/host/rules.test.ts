import { expect, test } from 'vitest'
import { componentRows, named, type Shown } from './rules.ts'

const director: Shown = {
  id: 'directors/a',
  name: 'a',
  type: 'director',
  state: 'error',
  message: 'bad file',
}
const agent: Shown = { id: 'agents/a', name: 'a', type: 'agent', state: 'idle', port: 9001 }

test('a name means the agent, an id means exactly that', () => {
  expect(named([director, agent], 'a')).toBe(agent)
  expect(named([director, agent], 'directors/a')).toBe(director)
  expect(named([director], 'a')).toBe(director)
  expect(named([director, agent], 'b')).toBeUndefined()
})

test('a row each, with the reason of a state', () => {
  expect(componentRows([director, agent])).toEqual([
    ['NAME', 'TYPE', 'STATE', 'PORT', ''],
    ['a', 'director', 'error', '-', 'bad file'],
    ['a', 'agent', 'idle', '9001', ''],
  ])
  const task = { id: 'task-x', prompt_preview: 'Fix it' }
  const [, busy, limited] = componentRows([
    { ...agent, state: 'working', current_task: task },
    { ...agent, state: 'limited', message: 'until noon', current_task: task },
  ])
  expect([busy?.at(-1), limited?.at(-1)]).toEqual(['task-x: Fix it', 'until noon'])
  expect(componentRows([])).toEqual([])
})
