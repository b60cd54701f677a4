import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { componentsOf, lookFor } from './ask.ts'
import { componentRows } from './rules.ts'

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  const pod = call.values.pod ?? call.io.env.AGENCY_POD
  const all = client === undefined ? [] : await componentsOf(client)
  // No component is in a pod yet, so a pod that is named has none.
  const components = pod === undefined || pod === '*' ? all : []
  const empty =
    client === undefined
      ? `No host runs for ${root}, so nothing runs. Type \`agency up\`.`
      : pod === undefined || pod === '*'
        ? 'No components. An agent is configured in agents/NAME/config.yaml.'
        : `No components in the pod "${pod}".`
  return {
    data: { up: client !== undefined, root, components },
    lines: components.length === 0 ? [empty] : table(componentRows(components)),
  }
}
