// The OpenAPI document, from the same contracts that the router and the client use.
import * as z from 'zod'
import type { Contract } from '../src/base/contract/schema.ts'
import { type Code, catalogue } from '../src/base/error/schema.ts'

export type Mounted = {
  readonly mount: string
  readonly group: string
  readonly routes: Readonly<Record<string, Contract>>
}

const schemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  })
  return rest
}

const parameters = (where: 'path' | 'query', schema: z.ZodObject | undefined): unknown[] =>
  Object.entries(schema?.shape ?? {}).map(([name, value]) => ({
    name,
    in: where,
    required: where === 'path' || !(value as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(value as z.ZodType),
  }))

const everywhere: readonly Code[] = ['validation_error', 'not_found']

const operation = (name: string, { group }: Mounted, contract: Contract): Record<string, unknown> => {
  const refused = [...new Set([...everywhere, ...(contract.errors ?? [])])]
  const statuses = [...new Set(refused.map((code) => catalogue[code].status))].sort((a, b) => a - b)
  const answer =
    contract.reply === 'stream'
      ? { 'text/event-stream': { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(contract.reply) } }
  return {
    operationId: `${group}.${name}`,
    tags: [group],
    summary: contract.summary,
    parameters: [...parameters('path', contract.params), ...parameters('query', contract.query)],
    ...(contract.body && {
      requestBody: { content: { 'application/json': { schema: schemaOf(contract.body) } } },
    }),
    responses: {
      [contract.status ?? 200]: { description: contract.summary, content: answer },
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          { description: refused.filter((code) => catalogue[code].status === status).join(', ') },
        ]),
      ),
    },
  }
}

const openPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

export const openapi = (mounts: readonly Mounted[]): string => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const mounted of mounts)
    for (const [name, contract] of Object.entries(mounted.routes)) {
      const path = openPath(`${mounted.mount}${contract.path}`)
      paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(name, mounted, contract) }
    }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'agency',
      version: '1',
      description:
        'The API of a host: on its unix socket without a token, on loopback TCP with `Authorization: Bearer <token>`.',
    },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
    paths,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

export const routesPage = (notice: string, mounts: readonly Mounted[]): string =>
  [
    notice,
    '# Routes',
    '',
    'On the unix socket of the root (`curl --unix-socket <root>/sockets/host.sock http://localhost/status`) without a token; on loopback',
    'TCP with `Authorization: Bearer <token>`. The whole description is `schemas/openapi.json`.',
    '',
    '| route | what it does | beside the usual errors |',
    '|---|---|---|',
    ...mounts.flatMap(({ mount, routes }) =>
      Object.values(routes).map(
        ({ method, path, summary, errors }) =>
          `| \`${method} ${mount}${path}\` | ${summary} | ${(errors ?? []).map((code) => `\`${code}\``).join(', ')} |`,
      ),
    ),
    '',
  ].join('\n')
