import { fail } from '../../base/error/fail.ts'
import type { Call, Handler } from '../io.ts'
import { askShutdown, lookFor } from './ask.ts'
import { endHost, livingIds, patienceOf, untilOver } from './end.ts'

const portOf = ({ values }: Call): number | undefined => {
  if (values.port === undefined) return undefined
  const port = Number(values.port)
  if (/^\d{1,5}$/.test(values.port) && port > 0 && port < 65_536) return port
  return fail('bad_value', {
    value: values.port,
    what: 'the option --port',
    expected: 'a number from 1 to 65535',
    hint: '`agency list` shows the ports.',
  })
}

export const run: Handler = async (call) => {
  const port = portOf(call)
  const { root, client } = await lookFor(call)
  if (client === undefined) return { data: { root, ended: [] }, lines: [`No host runs for ${root}.`] }
  if (call.flags.has('all')) {
    const { components } = await endHost(call, root, client, true)
    return {
      data: { root, ended: [...components, 'host'] },
      lines: [...components.map((id) => `${id} has ended`), 'The host has ended.'],
    }
  }
  const timeout_seconds = await patienceOf(root, call)
  const living = await livingIds(client)
  const which = port === undefined ? { [call.flags.has('agents') ? 'agents' : 'directors']: true } : { port }
  const { components, drain_timeout } = await askShutdown(client, { timeout_seconds, ...which })
  if (port !== undefined && components.length === 0) {
    fail('not_found', { what: `component at port ${port}`, see: 'Type `agency list` to see the ports.' })
  }
  const ended = components.filter((id) => living.has(id))
  await untilOver(call, client, ended, drain_timeout)
  const lines = ended.length === 0 ? ['There was nothing to end.'] : ended.map((id) => `${id} has ended`)
  return { data: { root, ended }, lines }
}
