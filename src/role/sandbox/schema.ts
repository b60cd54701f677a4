// Walls around a whole agent.
import * as z from 'zod'

/** A path to one of these is a way out: whoever holds it commands the machine. */
const wayOut =
  /(^|\/)(docker|containerd|podman|crio)\.sock$|(^|\/)(gnupg|\.gnupg)\/S\.|(^|\/)(ssh-agent|agent\.\d+)$|^\/proc(\/|$)|^\/(dev|sys|run|var\/run)?$/

/** Without what changes how a path is written but not where it leads. */
const plain = (text: string): string => text.replace(/\/(\.?\/)+/g, '/').replace(/(.)\/\.?$/, '$1')

const path = z
  .string()
  .min(1)
  .refine((text) => !text.includes('\0'), { error: 'must be a path' })
  .refine((text) => !/(^|\/)\.\.(\/|$)/.test(text), { error: 'must be a path without ".."' })
  .refine((text) => !wayOut.test(plain(text)), {
    error: 'is refused: through it an agent leaves the sandbox',
  })

const hostPattern = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i

export const sandbox = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the agent runs in a sandbox.', default: true }),
    allow_network: z
      .boolean()
      .optional()
      .meta({ description: 'true is `network: full`, false is `network: none`.', default: true }),
    network: z.enum(['none', 'proxy', 'full']).optional().meta({
      description:
        '`none`: only the model. `proxy`: also `allowed_hosts`. `full`: the network of this machine.',
    }),
    allowed_hosts: z
      .array(
        z
          .string()
          .max(253)
          .regex(hostPattern, { error: 'must be a host, such as example.com or *.example.com' })
          .refine((host) => !(Number(/:(\d+)$/.exec(host)?.[1]) > 65_535), {
            error: 'must have a port up to 65535',
          }),
      )
      .optional()
      .meta({ description: 'Hosts that `network: proxy` lets through.' }),
    read_only_paths: z.array(path).optional().meta({ description: 'More paths it may read.', default: [] }),
    read_write_paths: z.array(path).optional().meta({ description: 'More paths it may write.', default: [] }),
    memory_mb: z.int().min(256).optional().meta({ description: 'Memory of all its processes, in MiB.' }),
    max_processes: z.int().min(16).optional().meta({ description: 'Processes it may have at once.' }),
  })
  .refine(
    ({ allow_network, network }) =>
      allow_network === undefined || network === undefined || allow_network === (network !== 'none'),
    { path: ['network'], error: 'cannot contradict allow_network: write only one of them' },
  )
  .refine(({ allowed_hosts, network }) => allowed_hosts === undefined || network === 'proxy', {
    path: ['allowed_hosts'],
    error: 'needs `network: proxy`',
  })
  .meta({ id: 'Sandbox', description: 'Walls around the whole agent.' })
export type SandboxFile = z.infer<typeof sandbox>
