// A host without the command line around it: `host <root> [--yield]`.
import { collectWhenTold } from '../soak/garbage.ts'
import { AgencyError } from '../src/base/error/fail.ts'
import { runHost } from '../src/host/main.ts'

const [root = '', flag] = process.argv.slice(2)
collectWhenTold()
runHost(root, {
  signals: process,
  yielding: flag === '--yield',
  ready: ({ port }) => process.stdout.write(`${port}\n`),
}).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const said = error instanceof AgencyError ? [error.message, ...error.problems].join('\n') : String(error)
    process.stderr.write(`${said}\n`)
    process.exit(error instanceof AgencyError ? error.exit : 1)
  },
)
