// The process: its streams, its signals and its end. Nothing else of agency may call process.exit.
import type { EventEmitter } from 'node:events'
import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { main } from './entry.ts'

// Claude Code takes every exit code but 2 for "go on": a hook that fails in any way, even at saying so, says 2.
// One that only collects must not stop anything.
const [, , first, second] = process.argv
const failed = (code: number): number => (first === 'hook' && second !== 'collect' ? 2 : code)

// `agency demo | head`: the reader has gone, which is no failure and nothing to report. A command at work
// is told, so that it cleans up. Later writes fail again and mean nothing more.
for (const stream of [process.stdout, process.stderr]) {
  let gone = false
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (gone) return
    gone = true
    if (stream === process.stdout) process.exitCode = failed(code === 'EPIPE' ? 0 : 1)
    if (code === 'EPIPE') (process as EventEmitter).emit('unheard', 'unheard')
    else if (stream === process.stdout)
      process.stderr.write(`error: the output could not be written: ${message}\n`)
  })
}

const cwd = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    // The directory the command was typed in is gone; what needs it will say so.
    return undefined
  }
}

const program = process.argv[1] ?? 'agency'
const code = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: cwd(),
  program: basename(program),
  self: [process.execPath, realpathSync(program)],
  signals: process,
})
process.exitCode ||= code === 0 ? 0 : failed(code)
// An interrupted command may have left something open that would keep the process alive.
if (code > 128) process.exit()
