// `agency permission-request`: what a PermissionRequest hook of Claude Code runs. Undecided, for whatever reason, it says
// nothing: then the dialog stays, or a headless call is denied.
import type { agent as api } from '../../../agent/api.ts'
import { AgencyError } from '../../../base/error/fail.ts'
import { call } from '../../../client/call.ts'
import { below, route } from '../../../client/route.ts'
import { reach } from '../../../client/start.ts'
import { findRoot } from '../../../config/root/find.ts'
import { answerHook } from '../../../driver/claude/hook/rules.ts'
import { readAll } from '../../../hook/command/read.ts'
import { readInput } from '../../../hook/command/rules.ts'
import { deadlineOf } from '../../../hook/run.ts'
import type { Call, Handler } from '../../io.ts'
import { checkName } from '../../name.ts'
import { where } from '../../root/where.ts'
import { askAlone } from './alone.ts'

const permission = route<typeof api.permission>('POST', '/permission')

const event = 'PermissionRequest'
/** To say the answer before whoever called loses patience. */
const margin = 2_000

type Request = { readonly agent: string; readonly text: string; readonly until: number }

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const isAbsent = (error: unknown): boolean =>
  error instanceof AgencyError && ['host_absent', 'not_found'].includes(error.code)

const answerTo = async (line: Call, { agent, text, until }: Request): Promise<unknown> => {
  const read = readInput(event, text)
  if ('problem' in read) throw new Error(read.problem)
  const input = read.input.tool_input as Record<string, unknown>
  const asked = { tool_name: read.input.tool_name as string, tool_input: input }
  const [by, cwd] = [textIn(read.input.session_id), textIn(read.input.cwd)]
  const { directory: root } = await findRoot(where(line.io))
  const left = (): number => Math.max(0, until - margin - Date.now())
  try {
    const client = await reach(root, { patience: left() })
    const body = {
      ...asked,
      seconds: left() / 1000,
      ...(by !== undefined && { session_id: by }),
      ...(cwd !== undefined && { cwd }),
    }
    const late = AbortSignal.timeout(left() + margin / 2)
    return (await call(client, below(`agents/${agent}`, permission), { body }, late)).answer
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  const env = Object.fromEntries(
    Object.entries(line.io.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const answer = await askAlone({
    root,
    agent,
    tool: asked.tool_name,
    input,
    by,
    cwd,
    env,
    patience: left(),
  })
  const place = { session: by ?? '', transcript: '', cwd: cwd ?? '' }
  return answerHook({ ...place, kind: 'permission_asked', tool: asked.tool_name, input }, answer)
}

export const run: Handler = async (line) => {
  const { values, io, json } = line
  const until = Date.now() + deadlineOf(io.env.AGENCY_HOOK_DEADLINE_MS)
  const silence = (why: string) => {
    io.stderr.write(`undecided: ${why}\n`)
    return { data: {}, lines: [] }
  }
  const given = await readAll(io.stdin, until - Date.now())
  if ('problem' in given) return silence(given.problem)
  const agent = values.agent ?? io.env.AGENCY_ACTOR
  if (!agent) return silence('no agent is named: give --agent, or set AGENCY_ACTOR')
  try {
    const request = { agent: checkName('agent', agent), text: given.text, until }
    const answer = await answerTo(line, request)
    if (answer === undefined) return { data: {}, lines: [] }
    // Not among the lines for people: those are cleaned.
    if (!json) io.stdout.write(`${JSON.stringify(answer)}\n`)
    return { data: answer as Record<string, unknown>, lines: [] }
  } catch (error) {
    return silence((error as Error).message)
  }
}
