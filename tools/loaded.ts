// A host whose agents take writes: what the crash loop kills. `loaded <root> [--lie]`; a liar acknowledges every
// third write without keeping it, which the loop must find out.
import * as z from 'zod'
import { contract } from '../src/base/contract/schema.ts'
import { AgencyError } from '../src/base/error/fail.ts'
import type { Kind } from '../src/host/component.ts'
import { route } from '../src/host/http/route.ts'
import { plainAgent } from '../src/host/kinds.ts'
import { runHost } from '../src/host/main.ts'
import { fact } from '../src/journal/rules.ts'

const [root = '', flag] = process.argv.slice(2)

const write = contract({
  method: 'POST',
  path: '/write',
  summary: 'Keeps a number.',
  body: z.strictObject({ who: z.string(), n: z.int() }),
  reply: z.strictObject({ kept: z.int() }),
})

const agent = plainAgent as Kind

const writer: Kind = {
  ...agent,
  make: ({ report, store }) => ({
    routes: [
      route(write, async ({ body }) => {
        if (flag !== '--lie' || body.n % 3 !== 0)
          await store.append([fact('soak.written', body.who, { n: body.n })])
        return { kept: body.n }
      }),
    ],
    start: async () => report('idle'),
    currentTask: () => null,
    finish: async () => {},
  }),
}

runHost(root, { signals: process, kinds: [writer], ready: ({ port }) => console.log(port) }).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof AgencyError ? `${error.code}: ${error.message}` : error)
    process.exit(1)
  },
)
