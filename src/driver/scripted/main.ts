// Behaves like the Claude Code CLI, with a scenario file in the place of the model.
import { writeSync } from 'node:fs'
import { parse } from './argv/rules.ts'
import { runPrint } from './print/run.ts'
import { loadScenario } from './scenario/load.ts'
import { version } from './session/open.ts'
import { runTerminal } from './terminal/run.ts'

const hang = (): Promise<never> =>
  new Promise(() => {
    setInterval(() => undefined, 2 ** 30)
  })

const main = async (): Promise<number> => {
  const parsed = parse(process.argv.slice(2), version)
  if ('says' in parsed) {
    writeSync(1, `${parsed.says}\n`)
    return 0
  }
  if ('problem' in parsed) {
    writeSync(2, `${parsed.problem}\n`)
    return 1
  }
  const loaded = loadScenario(process.env.AGENCY_SCENARIO)
  if ('problem' in loaded) {
    writeSync(2, `scripted: ${loaded.problem}\n`)
    return 1
  }
  const { trouble } = loaded.ok
  if (trouble?.crash_at_start !== undefined) {
    writeSync(2, 'scripted: crashed at start, as the scenario says\n')
    return trouble.crash_at_start
  }
  if (trouble?.ignore_sigterm) process.on('SIGTERM', () => undefined)
  if (trouble?.hang_at_start) return hang()
  // Without a terminal the CLI prints, asked or not.
  const print = parsed.options.print || !process.stdout.isTTY
  const leave = (code: number): void => process.exit(code)
  const started = { options: { ...parsed.options, print }, told: loaded.ok, env: process.env, leave }
  if (print) return runPrint(started)
  return runTerminal(started)
}

// Whoever read the output is gone: there is nobody left to work for.
process.stdout.on('error', () => process.exit(1))

process.exit(
  await main().catch((error: unknown) => {
    writeSync(2, `scripted: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }),
)
