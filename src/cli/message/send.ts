// `agency send`: says something to an agent. Stored when this ends, whatever becomes of the host.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { namePattern } from '../../base/name/schema.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Lane } from '../../message/schema.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { standing, where } from '../root/where.ts'
import { askSend } from './ask.ts'
import { progress } from './told/rules.ts'
import { awaited } from './wait.ts'

const longest = 1024 * 1024

const readInput = async ({ io }: Call): Promise<string> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of io.stdin) {
    const bytes = Buffer.from(piece as Buffer)
    size += bytes.length
    if (size > longest) fail('validation_error', { what: `The text is longer than ${longest} bytes.` })
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const textOf = async (call: Call): Promise<string> => {
  const { text, file } = call.values
  if (text !== undefined) return text
  if (file === '-') return readInput(call)
  const path = resolve(standing(call.io), file ?? '')
  const read = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    fail('validation_error', { what: `${path} cannot be read: ${error.code ?? error.message}.` }),
  )
  return read
}

/** In the session of an agent it is the agent that speaks. People are called as the system calls them. */
const senderOf = ({ io }: Call) => {
  const actor = io.env.AGENCY_ACTOR
  if (actor) return { kind: 'agent' as const, name: checkName('agent name', actor) }
  const person = userInfo().username.toLowerCase()
  return { kind: 'person' as const, name: namePattern.test(person) ? person : 'person' }
}

/** Short: it stands in the header line, and people type it. */
const newId = (): string => `m${Date.now().toString(36)}${randomBytes(3).toString('hex')}`

export const run: Handler = async (call) => {
  const { values, flags } = call
  const to = checkName('agent name', values.name ?? '')
  const { directory: root } = await findRoot(where(call.io))
  const sent = await askSend(root, call, {
    to,
    text: await textOf(call),
    lane: (values.lane ?? 'normal') as Lane,
    from: senderOf(call),
    expects_response: flags.has('expects-response'),
    id: values.id ?? newId(),
    ...(values.closes !== undefined && { closes: values.closes }),
  })
  if (flags.has('wait')) return awaited(call, root, sent)
  return { data: { message: sent }, lines: [progress(sent)] }
}
