// Runs the cases in test/claude against the real Claude Code CLI, which is never a dependency (350 MB, its own
// licence): it is installed into .cache/claude/<version> and meets only a scripted Messages API on loopback.
//   node scripts/claude.mjs [--version X] [arguments of vitest]
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claude as pinned } from './pinned.mjs'

const root = resolve(import.meta.dirname, '..')
const cache = join(root, '.cache', 'claude')
const binary = (folder) =>
  join(folder, 'node_modules', '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude')

/** What stops the run, in words for whoever started it. */
const refusal = (...lines) => Object.assign(new Error(lines.join('\n')), { plain: true })

const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// An empty lock is one whose owner is just writing it, unless it stays empty.
const stale = (lock) => {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    return pid ? !alive(pid) : Date.now() - statSync(lock).mtimeMs > 10_000
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** Two that seize a stale lock at once cost a second download, no more: the rename below has one winner. */
const locked = async (lock, work) => {
  for (let said = false; ; await sleep(250)) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (stale(lock)) rmSync(lock, { force: true })
      else if (!said) console.log(`waiting for another install (${lock}) …`)
      said = true
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}

const download = (version, folder) => {
  console.log(`installing Claude Code ${version} into ${folder} (350 MB, once) …`)
  const partial = `${folder}.${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), '{"private":true}\n')
  // The binary lies inside the platform's package: no install script is needed.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=6']
  const npm = (seconds, ...words) =>
    spawnSync('npm', [...words, `@anthropic-ai/claude-code@${version}`, ...flags], {
      cwd: partial,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    }).status
  // Without a network npm tries for many minutes before it says so. A small question finds out sooner, asked
  // with an empty cache because npm answers from an old one.
  const empty = join(partial, 'cache')
  const reachable = npm(300, 'view', `--cache=${empty}`) === 0
  rmSync(empty, { recursive: true, force: true })
  const status = reachable ? npm(900, 'install') : null
  if (status !== 0 || !existsSync(binary(partial))) {
    rmSync(partial, { recursive: true, force: true })
    throw refusal(
      status === 0
        ? `@anthropic-ai/claude-code@${version} brought no binary for ${process.platform}-${process.arch}.`
        : `Claude Code ${version} could not be fetched from the npm registry.`,
      'Nothing was changed. The registry must be reachable once; afterwards the cases run offline.',
      'When it is, run `npm run test:claude` again.',
    )
  }
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    if (!existsSync(binary(folder))) throw error
  }
}

const install = async (version) => {
  const folder = join(cache, version)
  const ready = () => existsSync(binary(folder))
  mkdirSync(cache, { recursive: true })
  if (!ready()) await locked(join(cache, `${version}.lock`), () => ready() || download(version, folder))
  return binary(folder)
}

/** The ways to a network that holds nothing but lo, in order of liking. */
const enclosures = [
  ['unshare', '--net'],
  ['unshare', '--user', '--map-current-user', '--keep-caps', '--net'],
  ['unshare', '--user', '--map-root-user', '--net'],
]
const enclosed = () => {
  const up = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  for (const [command, ...args] of enclosures) {
    const way = [...args, '--', ...up]
    if (spawnSync(command, [...way, 'true'], { stdio: 'ignore' }).status === 0) return [command, ...way]
  }
  console.log(
    'A network of its own is not permitted here (unshare -n): the cases run on this machine’s network.',
  )
  return []
}

const run = (version, program, args) => {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(root, 'vitest.claude.config.ts')
  const [command, ...rest] = [...enclosed(), process.execPath, vitest, 'run', '-c', config, ...args]
  console.log(`Claude Code ${version}${version === pinned ? '' : ` (pinned: ${pinned})`}`)
  const child = spawn(command, rest, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TEST_CLAUDE_BIN: program },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}

const args = process.argv.slice(2)
const at = args.indexOf('--version')
const [, version = at < 0 ? pinned : ''] = at < 0 ? [] : args.splice(at, 2)
try {
  if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) throw refusal('--version wants a version such as 2.1.325')
  run(version, await install(version), args)
} catch (error) {
  if (!error.plain) throw error
  console.error(error.message)
  process.exitCode = 1
}
