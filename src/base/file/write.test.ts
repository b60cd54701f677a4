import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { writeAtomic, writeFleeting, writeNew } from './write.ts'

const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-write-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return directory
}

test.each([writeAtomic, writeFleeting])(
  'the text replaces the old one, with the mode asked for whatever the umask: %o',
  async (write) => {
    const directory = await temporary()
    const file = join(directory, 'file')
    await writeFile(file, 'old')
    await chmod(file, 0o644)
    const umask = process.umask(0o077)
    try {
      await write(file, 'new', 0o664)
    } finally {
      process.umask(umask)
    }
    expect(await readFile(file, 'utf8')).toBe('new')
    expect((await stat(file)).mode & 0o777).toBe(0o664)
    await write(file, 'secret')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toEqual(['file'])
  },
)

test.each([writeAtomic, writeFleeting])('a link is replaced, what it points to stays: %o', async (write) => {
  const directory = await temporary()
  await writeFile(join(directory, 'target'), 'theirs')
  await symlink(join(directory, 'target'), join(directory, 'link'))
  await write(join(directory, 'link'), 'mine')
  expect(await readFile(join(directory, 'target'), 'utf8')).toBe('theirs')
  expect(await readFile(join(directory, 'link'), 'utf8')).toBe('mine')
})

test('a failure leaves nothing beside the old file', async () => {
  const directory = await temporary()
  await mkdir(join(directory, 'file'))
  await expect(writeAtomic(join(directory, 'file'), 'x')).rejects.toThrow()
  expect(await readdir(directory)).toEqual(['file'])
})

test('of many that write a new file at once one wins and its text is whole', async () => {
  const directory = await temporary()
  const file = join(directory, 'token')
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(100))
  const won = await Promise.all(texts.map((text) => writeNew(file, text)))
  expect(won.filter(Boolean)).toHaveLength(1)
  expect(await readFile(file, 'utf8')).toBe(texts[won.indexOf(true)])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['token'])
})

test('a writer killed at any moment leaves a whole text', async () => {
  const directory = await temporary()
  const file = join(directory, 'file')
  const program = join(directory, 'writer.mjs')
  await writeFile(
    join(directory, 'entry.ts'),
    `import { writeAtomic } from ${JSON.stringify(new URL('./write.ts', import.meta.url).pathname)}
     for (let round = 0; ; round++) {
       await writeAtomic(process.argv[2], String(round % 10).repeat(300_000))
       if (round === 0) process.stdout.write('ready')
     }`,
  )
  const bundle = await rolldown({ input: join(directory, 'entry.ts'), platform: 'node' })
  await bundle.write({ file: program, format: 'esm' })
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = new Promise((done) => child.once('exit', done))
    try {
      await new Promise((done) => child.stdout.once('data', done))
      // Each round kills at another moment of a write.
      for (let spin = 0; spin < round; spin++) await readFile(file)
    } finally {
      child.kill('SIGKILL')
      await gone
    }
    const text = await readFile(file, 'utf8')
    expect(text).toBe((text[0] ?? '').repeat(300_000))
  }
})
