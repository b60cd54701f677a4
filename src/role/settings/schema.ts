// Extra keys for the generated settings.json. Keys that would undo supervision are not extra.
import * as z from 'zod'

const reserved: Readonly<Record<string, string>> = {
  hooks: 'write them under `hooks:` of the role',
  disableAllHooks: 'agency supervises by hooks',
  allowManagedHooksOnly: 'agency supervises by hooks',
  allowedHttpHookUrls: 'agency supervises by hooks',
  httpHookAllowedEnvVars: 'agency supervises by hooks',
  permissions: 'write them under `permissions:` and `permission_mode:` of the role',
}

/** Environment that decides who hears of what the agent does. */
const reservedVariable =
  /^(AGENCY_|H2_|OTEL_|CLAUDE_CONFIG_DIR$|CLAUDE_SECURESTORAGE_|CLAUDE_CODE_(ENABLE_TELEMETRY|STOP_HOOK_|TMPDIR))/

export const settings = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    for (const key of Object.keys(value)) {
      const why = Object.hasOwn(reserved, key) ? reserved[key] : undefined
      if (why) context.addIssue({ code: 'custom', path: [key], message: `is reserved: ${why}` })
    }
    const env = value.env
    if (env === undefined) return
    if (typeof env !== 'object' || env === null || Array.isArray(env)) {
      context.addIssue({ code: 'custom', path: ['env'], message: 'must be an object: NAME: value' })
      return
    }
    for (const [key, text] of Object.entries(env)) {
      if (typeof text !== 'string')
        context.addIssue({ code: 'custom', path: ['env', key], message: 'must be a string' })
    }
    for (const key of Object.keys(env).filter((name) => reservedVariable.test(name))) {
      context.addIssue({ code: 'custom', path: ['env', key], message: 'is reserved: agency sets it' })
    }
  })
  .meta({
    id: 'Settings',
    description:
      'Any other keys of Claude settings.json. `hooks`, `permissions` and `disableAllHooks` are reserved.',
  })
