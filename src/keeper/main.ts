// `node keeper.js`: waits on stdin for its opening, reports on stdout, then lives on its own.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { AgencyError } from '../base/error/fail.ts'
import { keep } from './keep.ts'
import { opening, type Report } from './schema.ts'

const report = (value: Report): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(value)}\n`, () => resolve())
  })

const words = (error: unknown): string => (error instanceof AgencyError ? error.message : String(error))

const firstLine = async (): Promise<string | undefined> => {
  const lines = createInterface({ input: process.stdin })
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => text as string),
    once(lines, 'close').then(() => undefined),
  ])
  lines.close()
  // Nothing else is ever read: the opening holds secrets, and whoever sent it may go.
  process.stdin.destroy()
  return line
}

const run = async (): Promise<void> => {
  await report({ ready: true })
  const line = await firstLine()
  // A spare that nobody needed.
  if (line === undefined) return
  const kept = await keep(opening.parse(JSON.parse(line)))
  // Nobody knows what still holds then. It goes, and its guard ends the child: no hook is ever let through.
  process.on('uncaughtException', (error) => {
    kept.log.error('the keeper failed', { why: String(error.stack) })
    process.exit(1)
  })
  // Asked again, it does not wait any longer.
  let grace = 5_000
  process.on('SIGTERM', () => {
    void kept.leave(grace)
    grace = 0
  })
  await report({ opened: kept.card })
  await kept.gone
}

// The terminal of whoever started it is not its own.
for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {})
// Nobody may listen any more.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

run().then(
  () => process.exit(0),
  async (error) => {
    await report({ failed: words(error) })
    process.exit(1)
  },
)
