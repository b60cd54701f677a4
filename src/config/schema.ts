// config.yaml of a root. A section belongs here once something reads it.
import * as z from 'zod'
import { rootBudget } from '../budget/schema.ts'
import { review } from '../role/review/schema.ts'

/** A fixed port, or 0 for any free one. Ports below 1024 need rights that agency must not have. */
export const port = z
  .int()
  .min(0)
  .max(65535)
  .refine((value) => value <= 0 || value >= 1024, {
    error: 'must be 0 (any free port) or from 1024 to 65535: lower ports need root',
  })

const host = z.strictObject({
  port: port.default(0).meta({ description: 'Loopback TCP port of the API; 0 = any free one.' }),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .meta({ description: 'The least important lines that are written to the logs.' }),
  drain_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(30)
    .meta({ description: 'How long a shutdown waits for running tasks before it ends them.' }),
})

const attach = z.strictObject({
  detach_key: z
    .string()
    .regex(/^ctrl-[abd-gkln-z@\\\]^_]$/i, {
      error: 'must be Ctrl with one key that an agent does not need, such as ctrl-]',
    })
    .default('ctrl-\\')
    .meta({ description: 'The key that leaves the terminal of an agent, which goes on.' }),
})

const history = z.strictObject({
  tasks: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .meta({ description: 'How many tasks that are over are kept, for each agent.' }),
  days: z
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .meta({ description: 'Tasks that were over longer ago are forgotten; absent = age does not matter.' }),
  megabytes: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(500)
    .meta({ description: 'How much their files may take, of all agents; the oldest tasks go first.' }),
})

/** The base URL of a forge's API. Plain http only on this machine: a token goes with every request. */
const forgeApi = z
  .string()
  .regex(/^(https:\/\/[^\s/@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s?#]*)?$/, {
    error: 'must be an https:// URL without a user name (http:// only for localhost)',
  })
  .meta({ description: 'Base URL of its API.' })

export const config = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'For editors; agency does not read it.' }),
    store: z
      .string()
      .regex(/^(sqlite|postgres(ql)?:\/\/\S+)$/, { error: 'must be "sqlite" or a postgres:// URL' })
      .default('sqlite')
      .meta({ description: 'Where journal and state live: `sqlite`, or `postgres://…` for many machines.' }),
    host: host.prefault({}).meta({ description: 'The process that runs this root.' }),
    attach: attach.prefault({}).meta({ description: 'How `agency attach` behaves.' }),
    history: history
      .prefault({})
      .meta({ description: 'What is kept of tasks that are over; the journal has their outlines for ever.' }),
    budgets: z
      .array(rootBudget)
      .max(100)
      .default([])
      .meta({ description: 'What may be used, by whom; all limits hold at the same time.' }),
    review: review.optional(),
    github: z
      .strictObject({ api: forgeApi.default('https://api.github.com') })
      .prefault({})
      .meta({ description: 'GitHub, or a GitHub Enterprise server.' }),
    gitlab: z
      .strictObject({ api: forgeApi.default('https://gitlab.com/api/v4') })
      .prefault({})
      .meta({ description: 'GitLab, or a server of your own.' }),
  })
  .meta({ id: 'Config', title: 'agency config.yaml', description: 'Settings of one root.' })

export type Config = z.infer<typeof config>

/** Environment variables that win over config.yaml, and the value each one sets. */
export const configVariables = {
  AGENCY_LOG_LEVEL: ['host', 'log_level'],
  AGENCY_GITHUB_API: ['github', 'api'],
  AGENCY_GITLAB_API: ['gitlab', 'api'],
} as const
