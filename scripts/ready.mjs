// Makes a fresh clone ready: installs exactly what the lock names and builds, each only when needed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** What it says of each file is for whoever changes the build; what went wrong is said on the other stream. */
const run = (stdout, command, ...args) => {
  const { status } = spawnSync(command, args, { stdio: ['ignore', stdout, 'inherit'] })
  if (status !== 0) {
    console.error(
      `\n${command} ${args.join(' ')} failed (exit ${status}). Nothing else was changed; run the command again.`,
    )
    process.exit(1)
  }
}

const stamp = 'node_modules/.ready'
const wanted = createHash('sha256')
  .update(readFileSync('package-lock.json'))
  .update(process.version)
  .digest('hex')
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('installing …')
  // A registry that asks to wait is waited for.
  run(
    'inherit',
    'npm',
    'ci',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--fetch-retries=8',
    '--prefer-offline',
    '--loglevel=error',
  )
  writeFileSync(stamp, wanted)
}
console.log('building …')
run('ignore', 'npm', 'run', '--silent', 'build')
