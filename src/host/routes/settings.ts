// The settings of a headless agent: its file is the truth.
import { isDeepStrictEqual } from 'node:util'
import { markSwitched } from '../../agent/headless/switch.ts'
import { agentKind } from '../../agent/kind.ts'
import { type AgentFile, agentFile } from '../../agent/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { writeValue } from '../../config/yaml/write.ts'
import { settings as api } from '../../task/api.ts'
import { type Route, route } from '../http/route.ts'

export type SettingsOptions = {
  readonly agent: string
  readonly file: string
  readonly root: string
  readonly current: () => AgentFile
  readonly changed: (next: AgentFile) => void
}

/** What nobody has to write down. */
const plain = agentFile.parse({})
const worthWriting = (next: AgentFile): Partial<AgentFile> =>
  Object.fromEntries(
    Object.entries(next).filter(([name, value]) => !isDeepStrictEqual(value, plain[name as keyof AgentFile])),
  )

export const settingsRoutes = ({
  agent,
  file,
  root,
  current,
  changed,
}: SettingsOptions): readonly Route[] => [
  route(api.show, () => current()),
  route(api.change, async ({ body }) => {
    const remarks = (await agentKind.check?.(body as never, { file, root })) ?? []
    const [wrong] = remarks.filter(({ warning }) => !warning)
    if (wrong !== undefined)
      fail('validation_error', { what: `${wrong.keys.join('.')} ${wrong.message}.`.trim() })
    if (body.role !== current().role) await markSwitched(root, agent)
    await writeValue(file, [], worthWriting(body), agentFile)
    changed(body)
    return body
  }),
]
