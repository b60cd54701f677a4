// agents/<name>/config.yaml: an agent that is there to be given tasks.
import * as z from 'zod'
import { duration } from '../base/duration/schema.ts'
import { name } from '../base/name/schema.ts'
import { budget } from '../role/budget/schema.ts'
import { permissionMode } from '../role/permission/schema.ts'
import { sandbox } from '../role/sandbox/schema.ts'
import { model, path } from '../role/schema.ts'

/** A port of a component's own. Below 1024 only root may listen, and agency must not be root. */
export const listenPort = z
  .int()
  .min(0)
  .max(65_535)
  .refine((port) => port <= 0 || port >= 1024, {
    error: ({ input }) => `is ${input}, which only root may use: choose one from 1024 to 65535, such as 9000`,
  })
  .meta({ description: 'A port of its own, on loopback; 0 = any free one. Absent = only through the host.' })

export const logLevel = z
  .enum(['debug', 'info', 'warn', 'error'])
  .default('info')
  .meta({ description: 'The least important lines that are written to its log.' })

export const claude = z
  .strictObject({
    model: model.default('').meta({
      description: 'The model of tasks that name none: `opus`, `sonnet`, `haiku` or a full name.',
    }),
    timeout: duration.default('30m').meta({ description: 'How long a task may take that does not say so.' }),
    max_turns: z
      .int()
      .min(1)
      .max(10_000)
      .default(50)
      .meta({ description: 'Turns of the model in one task.' }),
  })
  .prefault({})
  .meta({ description: 'How Claude Code is run.' })

export const agentFile = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'For editors; agency does not read it.' }),
    name: name.optional().meta({ description: 'Its name; absent = the name of its directory.' }),
    description: z.string().optional().meta({ description: 'One line for lists.' }),
    role: name.optional().meta({
      description: 'The role it has; absent = an actor that needs no permission inside its sandbox.',
    }),
    pod: name.optional().meta({ description: 'The pod it belongs to.' }),
    labels: z.array(name).default([]).meta({ description: 'By which tasks for whoever fits may choose it.' }),
    port: listenPort.optional(),
    log_level: logLevel,
    claude,
    permission_mode: permissionMode.optional().meta({
      description: 'When Claude asks; absent = nothing is asked inside the sandbox, everything outside it.',
    }),
    root_dir: path.optional().meta({ description: 'Where it works; absent = a directory for each session.' }),
    session_dir: path.optional().meta({
      description:
        'Where those directories are made: `<session_dir>/<session>/`; absent = `work/` of the root.',
    }),
    credentials: z.array(name).default([]).meta({ description: 'Credentials of the root that it may see.' }),
    sandbox: sandbox.optional(),
    budget: budget.optional(),
  })
  .meta({ id: 'Agent', title: 'agency agent', description: 'An agent that is there to be given tasks.' })

export type AgentFile = z.infer<typeof agentFile>
