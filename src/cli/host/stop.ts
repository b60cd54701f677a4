import { fail } from '../../base/error/fail.ts'
import { nearest } from '../../base/text/rules.ts'
import { isOver } from '../../registry/rules.ts'
import type { Handler } from '../io.ts'
import { askStop, componentsOf, lookFor } from './ask.ts'
import { patienceOf, untilOver } from './end.ts'
import { named } from './rules.ts'

export const run: Handler = async (call) => {
  const { name = '' } = call.values
  const { root, client } = await lookFor(call)
  const components = client === undefined ? [] : await componentsOf(client)
  const found = named(components, name)
  if (client === undefined || found === undefined) {
    const near = nearest(
      name,
      components.map((each) => each.name),
    )
    const see = 'Type `agency list` to see what runs.'
    return fail('not_found', {
      what: `component "${name}"`,
      see: near === undefined ? see : `Did you mean "${near}"? ${see}`,
    })
  }
  if (isOver(found.state))
    return { data: { root, id: found.id, ended: false }, lines: [`${found.id} had already ended.`] }
  const seconds = await patienceOf(root, call)
  await askStop(client, found.id, seconds)
  await untilOver(call, client, [found.id], seconds)
  return { data: { root, id: found.id, ended: true }, lines: [`${found.id} has ended.`] }
}
