// Changes one value of a YAML file that people edit too. A file that is not valid is reported, never overwritten.
import { realpath } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { fail } from '../../base/error/fail.ts'
import { readText } from '../../base/file/read.ts'
import { writeAtomic } from '../../base/file/write.ts'
import { edited } from './edit/rules.ts'
import { parse } from './parse/rules.ts'
import { readParsed } from './read.ts'
import { problemLine } from './rules.ts'

type Key = string | number

const textOf = async (file: string): Promise<{ text: string; mode: number }> => {
  const read = await readText(file)
  if (!('trouble' in read)) return read
  if (read.trouble === 'missing') return { text: '', mode: 0o644 }
  return fail('config_not_written', { file, why: `it ${read.says}` })
}

type Change = {
  readonly file: string
  readonly keys: readonly Key[]
  readonly value: unknown
  readonly schema: z.ZodType
}

const changed = (text: string, { file, keys, value, schema }: Change): string => {
  const before = parse(file, text)
  const isNew = before.value === null
  const now = isNew ? before : { ...before, ...readParsed(file, before, schema) }
  if (now.problems.length > 0 || before.document === undefined)
    return fail('config_invalid', { file, problems: now.problems.map((each) => problemLine(each)) })
  const after = edited(before.document, keys, value)
  const reread = parse(file, after)
  const { problems } = readParsed(file, reread, schema)
  if (problems.length > 0)
    return fail('validation_error', {
      what: `${file} would not be valid with this value.`,
      problems: problems.map(({ message }) => message),
    })
  if (!isDeepStrictEqual(reread.value, before.document.toJS()))
    return fail('config_not_written', { file, why: 'its text would not say what was asked for' })
  return after
}

const writeOnce = async (change: Change): Promise<boolean> => {
  const { file } = change
  const { text, mode } = await textOf(file)
  const after = changed(text, change)
  if (after === text) return true
  // Somebody saved in an editor meanwhile: theirs is the truth to start from.
  if ((await textOf(file)).text !== text) return false
  // A linked file (as dotfiles often are) is written where it is.
  await writeAtomic(await realpath(file).catch(() => file), after, mode)
  return true
}

const attempt = async (change: Change): Promise<void> => {
  for (let left = 5; left > 0; left--) if (await writeOnce(change)) return
  fail('config_not_written', { file: change.file, why: 'it kept being changed by others' })
}

const queues = new Map<string, Promise<void>>()

/** Sets the value at `keys` (undefined removes it), keeping comments. Changes of one file happen in turn. */
export const writeValue = async (
  file: string,
  keys: readonly Key[],
  value: unknown,
  schema: z.ZodType,
): Promise<void> => {
  const before = queues.get(file) ?? Promise.resolve()
  const mine = before.then(() => attempt({ file, keys, value, schema }))
  // The next in turn does not care how this one ended; its caller does.
  const settled = mine.catch(() => undefined)
  queues.set(file, settled)
  try {
    await mine
  } finally {
    if (queues.get(file) === settled) queues.delete(file)
  }
}
