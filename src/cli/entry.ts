// One command line from argv to exit code. No command prints or exits by itself.
import { AgencyError, failure } from '../base/error/fail.ts'
import { printable } from '../base/text/rules.ts'
import { version } from '../base/version.ts'
import { adopt, expand } from './aliases.ts'
import { nameOf } from './command/rules.ts'
import type { Outcome, Parsed } from './command/schema.ts'
import { commands } from './commands.ts'
import { help } from './help/rules.ts'
import { exitOf, interruptible, isUnheard } from './interrupt.ts'
import type { Call, Command, Io, Left } from './io.ts'
import { type Look, type Printed, printFailure, printOutcome } from './output/rules.ts'
import { parse, wantsJson } from './parse/rules.ts'

/** What went wrong, as an error of the catalogue: a stack trace is never a message. */
export const explain = (error: unknown): AgencyError => {
  if (error instanceof AgencyError) return error
  const what = error instanceof Error ? error.message : String(error)
  const fromSystem = error instanceof Error && 'syscall' in error && 'code' in error
  return failure(fromSystem ? 'refused_by_system' : 'internal', { what, cause: error })
}

/** Carelessness, not malice, is stopped here: an agent without a sandbox can take the variable away. */
const refuseAgents = ({ spec }: Extract<Parsed, { kind: 'run' }>, io: Io): void => {
  const agent = io.env.AGENCY_ACTOR
  if (agent && spec.agents === 'never') throw failure('person_only', { command: nameOf(spec), agent })
}

const carryOut = async (parsed: Parsed<Command>, call: Call): Promise<Outcome> => {
  if (parsed.kind === 'wrong') throw failure(parsed.wrong.code, parsed.wrong.facts as never)
  if (parsed.kind === 'version') return { data: { version }, lines: [version] }
  if (parsed.kind === 'help') {
    const lines = help(commands, parsed.words)
    return { data: { help: lines.join('\n') }, lines }
  }
  refuseAgents(parsed, call.io)
  const { run } = await parsed.spec.load()
  return await run({ ...call, ...parsed.line })
}

const finish = async (undos: (() => unknown)[]): Promise<void> => {
  for (const undo of undos.reverse()) await undo()
}

export const main = async (argv: readonly string[], given: Io): Promise<number> => {
  const io: Io = { ...given, env: adopt(given.env) }
  const line = expand(io.program, argv)
  const json = wantsJson(line)
  const colourOn = (out: { isTTY?: boolean | undefined }): boolean => out.isTTY === true && !io.env.NO_COLOR
  const look: Look = { json, colour: colourOn(io.stderr) }
  const warned: string[] = []
  const undos: (() => unknown)[] = []
  let left: Left | undefined
  const call: Call = {
    io,
    json,
    specs: commands,
    values: {},
    lists: {},
    flags: new Set(),
    rest: [],
    say: (text) => json || io.stdout.write(`${printable(text)}\n`),
    progress: (text) => json || io.stderr.write(`${printable(text)}\n`),
    leavable: (told) => {
      left = told
    },
    defer: (undo) => undos.push(undo),
    warn: (text) => warned.push(text),
  }
  const print = ({ stdout, stderr }: Printed): void => {
    if (stderr !== '') io.stderr.write(stderr)
    if (stdout !== '') io.stdout.write(stdout)
  }
  try {
    const parsed = parse(commands, line)
    const work = carryOut(parsed, call)
    const cleanUp = (): Promise<void> => finish(undos)
    const own = parsed.kind === 'run' && parsed.spec.signals
    const outcome = await (own ? work.finally(cleanUp) : interruptible(work, io.signals, cleanUp))
    print(printOutcome({ ...outcome, warnings: [...warned, ...(outcome.warnings ?? [])] }, look))
    return outcome.exit ?? 0
  } catch (error) {
    const failed = explain(error)
    if (isUnheard(failed)) return exitOf(failed)
    const { code, words, problems } = failed
    if (code === 'interrupted' && left !== undefined) {
      if (json) print(printOutcome({ data: left.data, lines: [] }, look))
      else call.progress(left.line)
      return exitOf(failed)
    }
    const said = { error: code, ...words, problems, ...(json && warned.length > 0 && { warnings: warned }) }
    if (!json) print(printOutcome({ data: {}, lines: [], warnings: warned }, look))
    print(printFailure(said, look))
    return exitOf(failed)
  }
}
