// A day with the real CLI: launched, talked to, watched, stopped, resumed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { patience, processesOf } from '../agent/kit.ts'
import { detachKey, person, program } from '../attach/kit.ts'

test('claude: run, send, list, attach, stop, resume', async () => {
  const words = 'The plan is ready. '.repeat(8)
  const at = await castOf('claude')({
    scripts: [
      { match: 'Make a plan', replies: [{ text: words, delay_ms: 1500 }] },
      { replies: [{ text: 'Heard.', times: 0 }] },
    ],
  })
  writeFileSync(join(at.root, 'roles/architect.yaml'), 'name: architect\ninstructions: Draw up plans.\n')
  const run = ['run', '--role', 'architect', '--name', 'arch-1', '--detach']
  const { code, err } = await at.agency(run)
  expect(code, err).toBe(0)
  const { session } = await at.until('arch-1', { state: 'idle', turns: 0 })
  expect(await at.screen('arch-1')).not.toMatch(/theme|trust|API key/i)

  await at.agency(['send', 'arch-1', 'Make a plan.', '--id', 'plan'])
  await at.until('arch-1', { state: 'working' })
  const waited = await at.agency(['message', 'show', 'plan', '--wait'])
  expect([waited.code, waited.out.trim()]).toEqual([0, words.trim()])
  await at.until('arch-1', { state: 'idle', turns: 1 })

  const one = person(at, `${program} attach arch-1`, { columns: 120, rows: 40 })
  await one.shows('Make a plan.')
  await one.shows('The plan is ready.')
  await one.shows('arch-1')
  one.type(detachKey)
  expect(await one.left()).toBe('0')

  const keeper = await at.keeper('arch-1')
  expect((await at.agency(['stop', 'arch-1'])).code).toBe(0)
  await expect.poll(() => processesOf(keeper), patience).toEqual([])
  expect((await at.agency(['session', 'resume', 'arch-1', '--detach'])).code).toBe(0)
  await at.until('arch-1', { state: 'idle', session })
  const again = await at.agency(['send', 'arch-1', 'Still there?', '--wait'])
  expect(again.out.trim()).toBe('Heard.')
  await at.until('arch-1', { state: 'idle', session })
})
