// Session ids: started once, resumed, forked; and what each run's totals count.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash, says, turn } from '../twin/say.ts'
import { toolResults, transcript, transcriptPath } from '../twin/transcript.ts'
import { real, twin } from '../twin/twin.ts'
import { seen } from './api/ask.ts'

twin('a session id is kept, and refused when it was used before', async (make) => {
  const rig = await make([says('go', 'Hello.'), says('again', 'never said')])
  const id = randomUUID()
  const first = await rig.print('go', ['--session-id', id])
  expect([first.code, first.result?.session_id, first.result?.result]).toEqual([0, id, 'Hello.'])
  const second = await rig.print('again', ['--session-id', id])
  expect([second.code, second.stdout]).toEqual([1, ''])
  expect(second.stderr).toContain(`Session ID ${id} is already in use`)
})

twin('a session id that is no UUID is refused', async (make) => {
  const rig = await make([says('go', 'never said')])
  const { code, stdout, stderr } = await rig.print('go', ['--session-id', 'mine'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/uuid/i)
})

twin('--resume keeps the id and the transcript; together with --session-id it is refused', async (make) => {
  const rig = await make([says('go', 'One.'), says('more', 'Two.')])
  const id = randomUUID()
  await rig.print('go', ['--session-id', id])
  const both = await rig.print('more', ['--resume', id, '--session-id', id])
  expect([both.code, both.stdout]).toEqual([1, ''])
  expect(both.stderr).toContain('--fork-session')
  const next = await rig.print('more', ['--resume', id])
  expect([next.code, next.result?.session_id, next.result?.result]).toEqual([0, id, 'Two.'])
  const text = JSON.stringify(await transcript(rig, id))
  expect(['go', 'One.', 'more', 'Two.'].every((word) => text.includes(word))).toBe(true)
})

twin('--resume works from another directory', async (make) => {
  const rig = await make([says('go', 'One.'), says('more', 'Two.')])
  const id = randomUUID()
  await rig.print('go', ['--session-id', id])
  const other = join(rig.dir, 'other')
  await mkdir(other)
  const { code, result } = await rig.print('more', ['--resume', id], { cwd: other })
  expect([code, result?.session_id, result?.result]).toEqual([0, id, 'Two.'])
})

twin('an unknown id cannot be resumed; only the stream has a result that says so', async (make) => {
  const rig = await make([says('go', 'never said')])
  const unknown = randomUUID()
  const json = await rig.print('go', ['--resume', unknown])
  expect([json.code, json.stdout]).toEqual([1, ''])
  expect(json.stderr).toContain(`No conversation found with session ID: ${unknown}`)
  const stream = await rig.stream('go', ['--resume', unknown])
  expect(stream.code).toBe(1)
  expect(stream.lines).toMatchObject([
    {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      num_turns: 0,
      errors: [`No conversation found with session ID: ${unknown}`],
    },
  ])
})

twin('a fork has an id of its own and leaves the parent as it was', async (make) => {
  const rig = await make([says('go', 'One.'), says('more', 'Two.')])
  const [parent, child] = [randomUUID(), randomUUID()]
  await rig.print('go', ['--session-id', parent])
  const before = (await transcript(rig, parent)).length
  const { code, result } = await rig.print('more', [
    '--resume',
    parent,
    '--fork-session',
    '--session-id',
    child,
  ])
  expect([code, result?.session_id, result?.result]).toEqual([0, child, 'Two.'])
  expect((await transcript(rig, parent)).length).toBe(before)
  expect(JSON.stringify(await transcript(rig, child))).toContain('One.')
})

twin('costs add up over a session, usage does not; a fork inherits its parent’s total', async (make) => {
  const usage = { input: 1000, output: 100 }
  const rig = await make(['first', 'second', 'third'].map((word) => says(word, word, { usage })))
  const [id, child] = [randomUUID(), randomUUID()]
  const one = await rig.print('first', ['--session-id', id])
  const two = await rig.print('second', ['--resume', id])
  const three = await rig.print('third', ['--resume', id, '--fork-session', '--session-id', child])
  const cost = one.result?.total_cost_usd ?? 0
  expect(cost).toBeGreaterThan(0)
  expect(two.result?.total_cost_usd).toBeCloseTo(2 * cost, 9)
  expect(three.result?.total_cost_usd).toBeCloseTo(3 * cost, 9)
  expect([one, two, three].map(({ result }) => result?.usage.input_tokens)).toEqual([1000, 1000, 1000])
})

twin('without persistence there is no transcript', async (make) => {
  const rig = await make([says('go', 'One.')])
  const { result } = await rig.print('go', ['--no-session-persistence'])
  expect(await transcriptPath(rig, result?.session_id ?? '')).toBe(undefined)
})

real(
  'on resume a new system prompt counts only with the snapshot off',
  'needs what a model is told',
  async (make) => {
    const rig = await make([says('go', 'One.'), says('more', 'Two.'), says('last', 'Three.')])
    const id = randomUUID()
    await rig.print('go', ['--session-id', id, '--append-system-prompt', 'You are the FIRST.'])
    await rig.print('more', ['--resume', id, '--append-system-prompt', 'You are the SECOND.'])
    await rig.print('last', [
      '--resume',
      id,
      '--append-system-prompt',
      'You are the THIRD.',
      '--system-prompt-snapshot',
      'off',
    ])
    const told = rig.api?.asked.map(({ body }) => JSON.stringify(body.system).match(/You are the [A-Z]+\./g))
    expect(told).toEqual([['You are the FIRST.'], ['You are the FIRST.'], ['You are the THIRD.']])
  },
)

real('a resumed session knows what was said before', 'needs what a model is told', async (make) => {
  const rig = await make([says('go', 'The word is plum.'), says('more', 'Two.')])
  const id = randomUUID()
  await rig.print('go', ['--session-id', id])
  await rig.print('more', ['--resume', id])
  const last = rig.api?.asked.at(-1)
  expect(last && seen(last.body)).toContain('The word is plum.')
})

twin('--tools on resume holds from the first call', async (make) => {
  const rig = await make([says('go', 'One.'), turn('more', [bash('touch ran')])])
  const id = randomUUID()
  await rig.print('go', ['--session-id', id, '--tools', 'Bash,Read'])
  await rig.print('more', ['--resume', id, '--tools', 'Read', '--allowedTools=Bash'])
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
  const [said] = toolResults(await transcript(rig, id))
  expect(said).toMatchObject({
    is_error: true,
    text: expect.stringContaining('No such tool available: Bash'),
  })
})

real(
  'the tools offered on resume change only with the snapshot off',
  'needs what a model is offered',
  async (make) => {
    const rig = await make([says('go', 'One.'), says('more', 'Two.'), says('last', 'Three.')])
    const id = randomUUID()
    await rig.print('go', ['--session-id', id, '--tools', 'Bash,Read'])
    await rig.print('more', ['--resume', id, '--tools', 'Read'])
    await rig.print('last', ['--resume', id, '--tools', 'Read', '--system-prompt-snapshot', 'off'])
    const offered = rig.api?.asked.map(({ body }) => body.tools?.some(({ name }) => name === 'Bash'))
    expect(offered).toEqual([true, true, false])
  },
)
