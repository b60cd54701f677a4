// A plan for people's eyes: `--dry-run`, logs. No secret of it may be in there.
import type { Plan } from '../schema.ts'

const hidden = '***'

const secretsOf = ({ order, launch }: Plan): readonly string[] => {
  const { hookToken = '', telemetryToken = '' } = order?.keeper ?? {}
  const given = Object.values(order?.environment.credentials ?? {})
  const tokens = Object.entries(launch.env)
    .filter(([name]) => /TOKEN|SECRET|PASSWORD|API_KEY|CREDENTIAL/i.test(name))
    .map(([, value]) => value)
  const whole = [hookToken, telemetryToken, ...given, ...tokens].filter((text) => text.length >= 4)
  // The CLI's state file holds the end of a key.
  return [...new Set(whole.flatMap((text) => [text, text.slice(-20)]))]
}

/** Set by us; what is inherited is the caller's own and only named. */
const ours = /^(AGENCY_|H2_|CLAUDE_|OTEL_|IS_SANDBOX$|DISABLE_AUTOUPDATER$|NO_PROXY$|no_proxy$)/

export type ShownPlan = Omit<Plan, 'order' | 'launch'> & {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly inherited: readonly string[]
}

export const shownPlan = (plan: Plan): ShownPlan => {
  const { order: _order, launch, files, ...rest } = plan
  const secrets = secretsOf(plan)
  const mask = (text: string): string =>
    secrets.reduce((masked, secret) => masked.replaceAll(secret, hidden), text)
  const names = Object.keys(launch.env)
  return {
    ...rest,
    files: files.map((file) => ({ ...file, text: mask(file.text) })),
    argv: launch.argv.map(mask),
    env: Object.fromEntries(
      names.filter((name) => ours.test(name)).map((name) => [name, mask(launch.env[name] ?? '')]),
    ),
    inherited: names.filter((name) => !ours.test(name)).sort(),
  }
}
