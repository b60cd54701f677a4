// `agency hook EVENT`: what a command hook of Claude Code runs. Its stdout belongs to Claude Code alone.
import { runHook } from '../../hook/run.ts'
import type { Handler } from '../io.ts'

export const run: Handler = async ({ values, io, json }) => {
  const { exit, stdout, stderr } = await runHook(values.event, {
    stdin: io.stdin,
    env: io.env,
    embedded: async (event, input) =>
      (await import('../../hook/embedded/run.ts')).runEmbedded(event, input, io.env),
  })
  if (stderr !== '') io.stderr.write(`${stderr}\n`)
  // Not among the lines for people: those are cleaned, and this may hold the input of a tool.
  if (!json && stdout !== '') io.stdout.write(`${stdout}\n`)
  return { data: stdout === '' ? {} : JSON.parse(stdout), lines: [], exit }
}
