import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { world } from '../../../test/cli/kit.ts'

const call = (id: unknown, command: string) => JSON.stringify({ id, tool: 'Bash', input: { command } })
const match = ['permission', 'match', '--pattern', 'Bash:gh issue close*']

test('one line for each call, in order', async () => {
  const stdin = [call(1, 'gh issue close 1'), '', call('b', 'gh issue view 1'), call(null, 'gh $x')].join(
    '\n',
  )
  const said = await world().agency(match, { stdin })
  expect(said).toEqual({
    code: 0,
    signal: null,
    err: '',
    out:
      '{"id":1,"match":"yes","why":"runs \\"gh issue close 1\\""}\n' +
      '{"id":"b","match":"no","why":"runs nothing like it"}\n' +
      '{"id":null,"match":"undecidable","why":"may run \\"gh …\\""}\n',
  })
})

test('a line that is no call is answered as such, and the rest all the same', async () => {
  const stdin = ['{"tool":', '{"id":1}', call(2, 'ls')].join('\n')
  const said = await world().agency(match, { stdin })
  const [first, second, third] = said.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(said.code).toBe(2)
  expect(first).toMatchObject({ line: 1, error: 'validation_error' })
  expect(second).toEqual({
    line: 2,
    error: 'validation_error',
    message: 'Line 2 must be {"id":…,"tool":"Bash","input":{"command":"…"}}.',
  })
  expect(third).toEqual({ id: 2, match: 'no', why: 'runs nothing like it' })
})

test('a name that would act on a terminal is escaped, and stays what it is', async () => {
  const id = 'a\u009b31m\u202e'
  const { out } = await world().agency(match, { stdin: call(id, 'ls') })
  expect(out).toContain('a\\u009b31m\\u202e')
  expect(JSON.parse(out)).toMatchObject({ id })
})

test('paths are those of the working directory', async () => {
  const here = world()
  const stdin = JSON.stringify({ id: 1, tool: 'Write', input: { file_path: `${here.cwd}/src/a.ts` } })
  const { out } = await here.agency(['permission', 'match', '--pattern', 'Edit(src/**)'], { stdin })
  expect(JSON.parse(out)).toMatchObject({ id: 1, match: 'yes' })
})

test('with --json they are one object', async () => {
  const { calls } = await world().json(match, { stdin: call(1, 'ls') })
  expect(calls).toEqual([{ id: 1, match: 'no', why: 'runs nothing like it' }])
})

test('a pattern that is no rule is refused', async () => {
  const said = await world().agency(['permission', 'match', '--pattern', 'Bash(rm'], { stdin: '' })
  expect(said.code).toBe(2)
  expect(said.err).toContain('"Bash(rm" is no good for --pattern')
})

test('ten thousand lines are answered', async () => {
  const stdin = Array.from({ length: 10_000 }, (_, id) =>
    call(id, `cd x && npm test -- ${id} | tee log`),
  ).join('\n')
  const { out, code } = await world().agency(match, { stdin })
  expect({ lines: out.trim().split('\n').length, code }).toEqual({ lines: 10_000, code: 0 })
})

test('the corpus through the command line', async () => {
  const file = new URL('../../../test/corpus/shell-gate.json', import.meta.url)
  const all: { id: string; cmd: string; must_match: string; expect: unknown }[] = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const cases = all.filter(({ must_match }) => must_match === 'gh issue close*')
  const stdin = cases.map(({ id, cmd }) => call(id, cmd)).join('\n')
  const { out } = await world().agency(match, { stdin })
  const said = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(said.map(({ id, match }) => [id, match !== 'no'])).toEqual(
    cases.map((one) => [one.id, one.expect !== false]),
  )
})
