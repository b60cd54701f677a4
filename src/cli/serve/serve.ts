import { fail } from '../../base/error/fail.ts'
import { rootToRun } from '../host/start.ts'
import type { Handler } from '../io.ts'
import { face } from './face.ts'
import { ownHost } from './own.ts'
import { listenForEnd } from './told.ts'
import { whatToServe } from './what.ts'

export const run: Handler = async (call) => {
  const { component = '' } = call.values
  if (component !== 'agent') fail('not_available', { what: `\`agency serve ${component}\`` })
  const root = await rootToRun(call)
  const brought = await whatToServe(call, root)
  const told = listenForEnd(call)
  const own = await ownHost(root, call.io)
  try {
    const ended = await face(call, { root, brought, told, over: () => own?.over() ?? false })
    const id = `agents/${brought.name}`
    const data = { root, id, file: brought.file, own: own !== undefined, state: ended?.state ?? null }
    const line = ended === undefined ? 'The host has ended.' : `${id} has ended.`
    return { data, lines: [line], exit: ended?.state === 'lost' ? 1 : 0 }
  } finally {
    await own?.finish()
  }
}
