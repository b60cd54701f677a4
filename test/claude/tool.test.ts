// What the tools do and say, as far as agency and its demo depend on it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Call } from '../../src/driver/scripted/scenario/schema.ts'
import type { Place } from '../twin/place.ts'
import { bash, turn, write } from '../twin/say.ts'
import { toolResults, transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

const bypass = ['--dangerously-skip-permissions']
const edit = (path: string, old_string: string, new_string: string): Call => ({
  name: 'Edit',
  input: { file_path: path, old_string, new_string },
})

const cases: Record<
  string,
  { calls: (place: Place) => Call[]; error: boolean; says: RegExp; left?: string }
> = {
  'Bash gives the output': { calls: () => [bash('echo one; echo two')], error: false, says: /^one\ntwo$/ },
  'Bash without output says so': { calls: () => [bash('true')], error: false, says: /no output/ },
  'a failed Bash gives code and output': {
    calls: () => [bash('echo broken; exit 3')],
    error: true,
    says: /Exit code 3\n.*broken/s,
  },
  'Bash runs in the working directory': {
    calls: () => [bash('basename "$PWD"')],
    error: false,
    says: /^work$/,
  },
  'Write makes folders': {
    calls: ({ work }) => [write(join(work, 'deep/new.txt'), 'made\n'), bash('cat deep/new.txt > file.txt')],
    error: false,
    says: /File created successfully at: .*deep\/new\.txt/,
    left: 'made\n',
  },
  'Write replaces a file that was never read': {
    calls: ({ work }) => [write(join(work, 'file.txt'), 'new\n')],
    error: false,
    says: /file\.txt has been updated successfully/,
    left: 'new\n',
  },
  'Edit changes a file that was never read': {
    calls: ({ work }) => [edit(join(work, 'file.txt'), 'old', 'changed')],
    error: false,
    says: /file\.txt has been updated successfully/,
    left: 'changed\n',
  },
  'Edit needs its text to be there': {
    calls: ({ work }) => [edit(join(work, 'file.txt'), 'absent', 'changed')],
    error: true,
    says: /String to replace not found/,
    left: 'old\n',
  },
  'Read gives the lines': {
    calls: ({ work }) => [{ name: 'Read', input: { file_path: join(work, 'file.txt') } }],
    error: false,
    says: /1\s+old/,
  },
  'a tool that does not exist': {
    calls: () => [{ name: 'Nonsense', input: {} }],
    error: true,
    says: /No such tool available: Nonsense/,
  },
}

for (const [name, { calls, error, says, left = 'old\n' }] of Object.entries(cases)) {
  twin(name, async (make) => {
    const rig = await make((place) => [turn('go', calls(place))])
    await rig.write('work/file.txt', 'old\n')
    const { result } = await rig.print('go', bypass, { env: { IS_SANDBOX: '1' } })
    const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
    expect(said).toMatchObject({ is_error: error, text: expect.stringMatching(says) })
    expect(await readFile(join(rig.work, 'file.txt'), 'utf8')).toBe(left)
  })
}
