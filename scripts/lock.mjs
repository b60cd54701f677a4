// Completes package-lock.json after a change of dependencies. A registry that serves one platform's
// builds only leaves the other platforms' optional packages out of the lock, and `npm ci` then
// refuses it on every machine. They are entered by name, so that a Mac finds its own.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { stdio: 'inherit' })
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
]

const built = (name) => {
  const words = name.split(/[-/]/)
  const cpu = processors.find((p) => words.includes(p)) ?? (words.includes('universal') ? undefined : 'none')
  const os = systems.find((s) => words.includes(s)) ?? 'none'
  const libc = words.some((w) => w.startsWith('musl')) ? ['musl'] : undefined
  return { ...(cpu && { cpu: [cpu] }), os: [os], ...(libc && { libc }) }
}

for (const [path, entry] of Object.entries(lock.packages)) {
  delete entry.resolved
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`
    const top = `node_modules/${name}`
    const exact = version.replace(/^[~^]/, '')
    if (lock.packages[nested] || lock.packages[top]?.version === exact) continue
    const place = lock.packages[top] ? nested : top
    lock.packages[place] = {
      version: exact,
      ...built(name),
      ...(path.startsWith('node_modules') && entry.dev && { dev: true }),
      optional: true,
    }
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
