// `node keeper.js`: waits on stdin for its opening, reports on stdout, then lives on its own; and waits again if it is
// told to.
import { createInterface } from 'node:readline'
import { AgencyError } from '../base/error/fail.ts'
import { openGuard } from './guard.ts'
import { type Kept, keep } from './keep.ts'
import { opening, type Report } from './schema.ts'

const report = (value: Report): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(value)}\n`, () => resolve())
  })

const words = (error: unknown): string => (error instanceof AgencyError ? error.message : String(error))

/** One session, to its end; whether it is to wait for another. */
const attend = async (kept: Kept): Promise<boolean> => {
  // Nobody knows what still holds then. It goes, and its guard ends the child: no hook is ever let through.
  const broken = (error: Error): void => {
    kept.log.error('the keeper failed', { why: String(error.stack) })
    process.exit(1)
  }
  // Asked again, it does not wait any longer.
  let grace = 5_000
  const asked = (): void => {
    void kept.leave(grace)
    grace = 0
  }
  process.on('uncaughtException', broken).on('SIGTERM', asked)
  await report({ opened: kept.card })
  const stays = await kept.gone
  process.off('uncaughtException', broken).off('SIGTERM', asked)
  return stays
}

const run = async (): Promise<void> => {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  for (let stays = true; stays; ) {
    await report({ ready: true })
    // While nobody waits for it: a process takes longer to start than all the rest of an opening.
    const guard = openGuard()
    const { value: line, done } = await lines.next()
    // Whoever might have needed it is gone.
    if (done) return guard.dismiss()
    stays = await attend(await keep(opening.parse(JSON.parse(line)), guard))
  }
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
