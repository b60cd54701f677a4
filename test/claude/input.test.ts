// A print mode that lives: prompts as lines of JSON, one result for each.
import { expect } from 'vitest'
import type { Rig } from '../twin/rig.ts'
import type { Running } from '../twin/run.ts'
import { bash, says, turn } from '../twin/say.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const flags = ['-p', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']
const open = (rig: Rig) => rig.bare([...flags, '--allowedTools=Bash'], { input: null })
const send = (running: Running, line: object) => running.child.stdin?.write(`${JSON.stringify(line)}\n`)
const say = (running: Running, content: string) =>
  send(running, { type: 'user', message: { role: 'user', content } })
const results = (running: Running) => running.lines().filter((line) => line.type === 'result')
const untilResults = (running: Running, count: number) =>
  until(`${count} results`, () => results(running).length >= count, running.stderr)

twin('one result a prompt, one session, and the end of stdin ends it', async (make) => {
  const rig = await make([says('one', 'First.'), says('two', 'Second.')])
  const running = open(rig)
  say(running, 'one')
  await untilResults(running, 1)
  say(running, 'two')
  await untilResults(running, 2)
  running.child.stdin?.end()
  const { code } = await running.ended
  expect([code, results(running).map((line) => line.result)]).toEqual([0, ['First.', 'Second.']])
  expect(new Set(results(running).map((line) => line.session_id)).size).toBe(1)
})

twin('an interrupt ends the turn, not the process', async (make) => {
  const rig = await make([turn('one', [bash('touch began; sleep 60')], 'never said'), says('two', 'Second.')])
  const running = open(rig)
  say(running, 'one')
  await until('the call', () => running.lines().some((line) => JSON.stringify(line).includes('"tool_use"')))
  send(running, { type: 'control_request', request_id: 'r1', request: { subtype: 'interrupt' } })
  await untilResults(running, 1)
  expect(results(running)[0]).toMatchObject({ subtype: 'error_during_execution', is_error: true })
  say(running, 'two')
  await untilResults(running, 2)
  running.child.stdin?.end()
  await running.ended
  expect(results(running)[1]).toMatchObject({ subtype: 'success', result: 'Second.' })
  const answers = running.lines().filter((line) => line.type === 'control_response')
  expect(answers).toMatchObject([{ response: { subtype: 'success', request_id: 'r1' } }])
})
