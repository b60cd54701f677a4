// Everything that is generated, as path → text.
import * as z from 'zod'
import { agent, agents, keeper } from '../src/agent/api.ts'
import { approvals } from '../src/approval/api.ts'
import { catalogue } from '../src/base/error/schema.ts'
import { budgets } from '../src/budget/api.ts'
import { commands } from '../src/cli/commands.ts'
import { kinds } from '../src/director/kinds.ts'
import { scenario } from '../src/driver/scripted/scenario/schema.ts'
import { component, host } from '../src/host/api.ts'
import { messages } from '../src/message/api.ts'
import { reviews } from '../src/review/api.ts'
import { queue, settings, tasks } from '../src/task/api.ts'
import { commandsPage } from './commands.ts'
import { type Mounted, openapi, routesPage } from './openapi.ts'
import { errorsPage, type JsonSchema, keysTable, notice } from './page.ts'

const mounts: readonly Mounted[] = [
  { mount: '', group: 'host', routes: host },
  { mount: '', group: 'agents', routes: agents },
  { mount: '/agents/{name}', group: 'agent', routes: component },
  { mount: '/agents/{name}', group: 'launched', routes: agent },
  { mount: '/agents/{name}', group: 'task', routes: tasks },
  { mount: '/agents/{name}', group: 'settings', routes: settings },
  { mount: '', group: 'queue', routes: queue },
  { mount: '', group: 'messages', routes: messages },
  { mount: '', group: 'approvals', routes: approvals },
  { mount: '', group: 'budgets', routes: budgets },
  { mount: '', group: 'reviews', routes: reviews },
  { mount: '/directors/{name}', group: 'director', routes: component },
  { mount: '', group: 'keeper', routes: keeper },
]

type Written = { readonly name: string; readonly schema: z.ZodType; readonly title: string }

const written: readonly Written[] = [
  ...kinds.map(({ name, schema }) => ({ name, schema, title: `The ${name} file` })),
  { name: 'scenario', schema: scenario, title: 'The scenario file of the scripted agent' },
]

const jsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

export const generated = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['docs/reference/errors.md', errorsPage(catalogue)],
    ['docs/reference/commands.md', commandsPage(notice, commands)],
    ['docs/reference/routes.md', routesPage(notice, mounts)],
    ['schemas/openapi.json', openapi(mounts)],
    ...written.flatMap(({ name, schema, title }): [string, string][] => [
      [`schemas/${name}.json`, `${JSON.stringify(jsonSchema(schema), null, 2)}\n`],
      [
        `docs/reference/${name}.md`,
        [
          notice,
          `# ${title}`,
          '',
          jsonSchema(schema).description ?? '',
          '',
          keysTable(jsonSchema(schema)),
          '',
        ].join('\n'),
      ],
    ]),
  ])
