// The disk fails, or the process dies, at every single system call of the store in turn.
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { fact } from '../../src/journal/rules.ts'
import { openDatabase } from '../../src/store/engine.ts'
import { openStore } from '../../src/store/sqlite.ts'
import { verify } from '../../src/store/verify.ts'
import { reduce } from '../kit/reduce.ts'
import { tool } from '../kit/tool.ts'
import { inNamespace, needStrace, plain, type Run, traced } from './strace.ts'

const writes = 3
const atOnce = 3
// An engine uses one of the two ways to sync.
const calls = ['pwrite64', 'fsync,fdatasync', 'ftruncate', 'unlink', 'openat'] as const
type Call = (typeof calls)[number]

const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-faults-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return directory
}
// A copy, so that a build at the same time cannot be mistaken for a fault. It stays below the project
// because programs find their packages by their own place.
let program = ''
beforeAll(async () => {
  const built = dirname(tool('writer'))
  const copy = await mkdtemp(join(built, 'faults-'))
  const names = (await readdir(built)).filter((name) => name.endsWith('.js'))
  for (const name of names) await copyFile(join(built, name), join(copy, name))
  program = join(copy, 'writer.js')
  return () => rm(copy, { recursive: true, maxRetries: 20, retryDelay: 100 })
})

const writer = (directory: string, count = writes): string[] => [
  program,
  join(directory, 'agency.db'),
  `${count}`,
]

const counted = async (call: Call, directory: string): Promise<number> => {
  const trace = await readFile(join(directory, 'trace'), 'utf8')
  return trace.match(new RegExp(`\\b(${call.replace(',', '|')})\\(`, 'g'))?.length ?? 0
}

const counts = new Map<Call, number>()
beforeAll(async () => {
  await needStrace()
  const directory = await mkdtemp(join(tmpdir(), 'agency-faults-'))
  try {
    const run = await traced(directory, undefined, writer(directory))
    expect(run).toMatchObject({ exit: 0, stderr: '', stdout: 'ack 0\nack 1\nack 2\ndone\n' })
    for (const call of calls) counts.set(call, await counted(call, directory))
  } finally {
    await rm(directory, { recursive: true, maxRetries: 20, retryDelay: 100 })
  }
})

type Said = { acknowledged: Set<string>; refused: Map<string, string> }
const heard = ({ stdout }: Run): Said => {
  const said: Said = { acknowledged: new Set(), refused: new Map() }
  for (const [, word, what = '', code = ''] of stdout.matchAll(/^(ack|refused) (\S+) ?(\S*)/gm)) {
    if (word === 'ack') said.acknowledged.add(what)
    else said.refused.set(what, code)
  }
  return said
}

/** What must hold whatever happened: the file is sound, and the program told the truth. */
const check = async (directory: string, { acknowledged, refused }: Said): Promise<void> => {
  const file = join(directory, 'agency.db')
  const store = await openStore({ file, reduce, now: () => new Date() })
  try {
    const events = await store.events({ after: 0, limit: 1000 })
    const of = (noun: string, read: (data: Record<string, unknown>) => unknown): string[] =>
      events.filter(({ subject }) => subject.startsWith(noun)).map(({ data }) => String(read(data)))
    const counted = of('counter', ({ who }) => who)
    const noted = of('note', ({ text }) => String(text).split(' ')[0])
    expect(noted, 'both facts or none').toEqual(counted)
    expect(new Set(counted).size, 'nothing twice').toBe(counted.length)
    for (const n of acknowledged) expect(counted, 'acknowledged').toContain(n)
    for (const [n, code] of refused) if (code !== 'store_unsure') expect(counted, code).not.toContain(n)
    expect(await verify(store, reduce)).toEqual([])
    await store.append([fact('counter.raised', 'a', { who: 'later', step: 1 })])
  } finally {
    await store.close()
  }
  const db = await openDatabase(file)
  expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  db.close()
}

/** Without `codes` the fault kills; with `die` the program kills itself at the first refusal. */
type Sweep = { call: Call; fault: string; suffix: '' | '+'; codes?: readonly string[]; die?: true }

const one = async (directory: string, sweep: Sweep, n: number): Promise<void> => {
  const { call, fault, suffix, codes, die } = sweep
  const run = await traced(directory, `${call}:${fault}:when=${n}${suffix}`, [
    ...writer(directory),
    ...(die ? ['die'] : []),
  ])
  const said = heard(run)
  if (codes) {
    expect(await readFile(join(directory, 'trace'), 'utf8')).toContain('(INJECTED)')
    const died = die && said.refused.size > 0
    expect(run).toMatchObject(died ? { signal: 'SIGKILL', stderr: '' } : { exit: 0, stderr: '' })
    expect(run.stdout.endsWith('done\n')).toBe(!died)
    for (const code of said.refused.values()) expect(codes).toContain(code)
    for (const [, message = ''] of run.stdout.matchAll(/^refused \S+ \S+ (.*)$/gm)) {
      expect(message).toContain(join(directory, 'agency.db'))
    }
  } else {
    expect(run.signal ?? run.exit).toBe('SIGKILL')
  }
  await check(directory, said)
}

const full = ['store_full', 'store_unsure']
const broken = ['store_io', 'store_unsure']

test.each<Sweep>([
  { call: 'pwrite64', fault: 'error=ENOSPC', suffix: '', codes: full },
  { call: 'pwrite64', fault: 'error=ENOSPC', suffix: '+', codes: full },
  { call: 'pwrite64', fault: 'signal=KILL', suffix: '' },
  { call: 'fsync,fdatasync', fault: 'error=EIO', suffix: '', codes: broken },
  { call: 'fsync,fdatasync', fault: 'error=EIO', suffix: '+', codes: broken },
  // The process dies before anything else could undo what the failed sync has left on the disk.
  { call: 'fsync,fdatasync', fault: 'error=EIO', suffix: '', codes: broken, die: true },
  { call: 'fsync,fdatasync', fault: 'error=EIO', suffix: '+', codes: broken, die: true },
  { call: 'fsync,fdatasync', fault: 'signal=KILL', suffix: '' },
  { call: 'ftruncate', fault: 'signal=KILL', suffix: '' },
  { call: 'unlink', fault: 'signal=KILL', suffix: '' },
  { call: 'openat', fault: 'signal=KILL', suffix: '' },
  { call: 'openat', fault: 'error=EMFILE', suffix: '', codes: ['store_unreachable', 'store_read_only'] },
])('$call $fault at every n$suffix, die: $die: whole, and told truly', async (sweep) => {
  const count = counts.get(sweep.call) ?? 0
  const root = await temporary()
  const problems: string[] = []
  let next = 1
  const work = async (): Promise<void> => {
    for (let n = next++; n <= count; n = next++) {
      const directory = await mkdtemp(join(root, `${n}-`))
      await one(directory, sweep, n).catch((error) => problems.push(`n=${n}: ${error.message}`))
      await rm(directory, { recursive: true, maxRetries: 20, retryDelay: 100 })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(problems).toEqual([])
})

test('the sweeps have something to hit', () => {
  const few = { pwrite64: 20, 'fsync,fdatasync': writes, ftruncate: 0, unlink: 0, openat: 2 }
  for (const call of calls) expect(counts.get(call), call).toBeGreaterThan(few[call])
})

test('every write that is acknowledged has waited for the disk', async () => {
  const directory = await temporary()
  const more = 20
  expect(await traced(directory, undefined, writer(directory, writes + more))).toMatchObject({ exit: 0 })
  const syncs = await counted('fsync,fdatasync', directory)
  expect(syncs - (counts.get('fsync,fdatasync') ?? 0)).toBeGreaterThanOrEqual(more)
})

test('a disk that is really full refuses clearly, and works again once there is space', async () => {
  const directory = await temporary()
  const disk = join(directory, 'disk')
  const keep = join(directory, 'kept')
  const again = [program, join(disk, 'agency.db')].join(' ')
  // The ballast is removed in between; the files are copied out because the mount ends with its namespace.
  const run = await inNamespace(`set -e
    mkdir ${disk} ${keep}
    mount -t tmpfs -o size=300k none ${disk}
    ${process.execPath} ${again} 60
    mount -o remount,size=3m ${disk}
    echo grown
    ${process.execPath} ${again} 2 | sed 's/ \\([01]\\)$/ again-\\1/'
    cp ${disk}/* ${keep}/`)
  if (/permission denied|not permitted/i.test(run.stderr)) {
    throw new Error(`this test mounts a small disk and needs root: ${run.stderr}`)
  }
  expect(run.stderr).toBe('')
  const [before = '', after = ''] = run.stdout.split('grown\n')
  expect(before).toMatch(/^refused \d+ store_full Not recorded: no space is left for /m)
  expect(after).toBe('ack again-0\nack again-1\ndone\n')
  const { acknowledged, refused } = heard({ ...run, stdout: before })
  expect(acknowledged.size).toBeGreaterThan(0)
  const store = await openStore({ file: join(keep, 'agency.db'), reduce, now: () => new Date() })
  onTestFinished(() => store.close())
  const notes = new Set((await store.list('note')).kept.map(({ subject }) => subject.slice(5)))
  for (const n of acknowledged) expect(notes).toContain(n)
  for (const [n, code] of refused) if (code === 'store_full') expect(notes).not.toContain(n)
  expect(await verify(store, reduce)).toEqual([])
})

test('without faults everything is acknowledged', async () => {
  const directory = await temporary()
  const run = await plain(writer(directory))
  expect(run).toMatchObject({ exit: 0, stderr: '', stdout: 'ack 0\nack 1\nack 2\ndone\n' })
  await check(directory, heard(run))
})
