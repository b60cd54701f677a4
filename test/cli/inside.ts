// The same entry as the program's, in this process: for cases that are many.
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { main } from '../../src/cli/entry.ts'
import { program, type Said, type World } from './kit.ts'

export const inside = async (at: World, argv: readonly string[]): Promise<Said> => {
  let [out, err] = ['', '']
  const code = await main(argv, {
    stdin: Readable.from([]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    env: at.env,
    cwd: at.cwd,
    program: 'agency',
    self: [process.execPath, program],
    signals: new EventEmitter(),
  })
  return { code, signal: null, out, err }
}
