// Tools are run for real: files are written, commands executed.

import { runBash, shellEnv } from './bash.ts'
import { edit, readFile, write } from './file.ts'
import type { Outcome, Place } from './place.ts'
import { timeoutOf } from './rules.ts'

type Json = Record<string, unknown>
const bash = async (input: Json, place: Place): Promise<Outcome> => {
  const timeoutMs = timeoutOf(input)
  const ran = await runBash(String(input.command), {
    cwd: place.cwd,
    env: shellEnv(place.env, place.session),
    timeoutMs,
    signal: place.signal,
  })
  if (ran.why === 'aborted') return { ok: false, content: ran.output, aborted: true }
  if (ran.why === 'timeout')
    return { ok: false, content: `Command timed out after ${timeoutMs / 1000}s\n${ran.output}`.trim() }
  if (ran.code !== 0 || ran.why)
    return { ok: false, content: `Exit code ${ran.code ?? 137}\n${ran.output}`.trim() }
  return {
    ok: true,
    content: ran.output === '' ? '(Bash completed with no output)' : ran.output,
    response: { stdout: ran.output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
  }
}

export const runTool = async (tool: string, input: Json, place: Place): Promise<Outcome> => {
  try {
    if (tool === 'Bash') return await bash(input, place)
    if (tool === 'Write') return write(input, place)
    if (tool === 'Edit') return edit(input, place)
    return readFile(input, place)
  } catch (error) {
    return { ok: false, content: (error as Error).message }
  }
}
