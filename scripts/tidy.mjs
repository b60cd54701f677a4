// Removes what earlier builds left. Parts of the last ten minutes stay: a program that has just started may still
// load them.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const old = Date.now() - 10 * 60_000
for (const folder of ['dist', 'build'])
  for (const name of readdirSync(folder).filter((each) => each.startsWith('part-'))) {
    const path = join(folder, name)
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < old) rmSync(path, { force: true })
  }
