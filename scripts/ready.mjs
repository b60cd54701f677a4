// Makes a fresh clone ready: installs exactly what the lock names and builds, each only when needed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const run = (command, ...args) => {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
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
run('npm', 'run', '--silent', 'build')
