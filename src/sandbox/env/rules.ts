// What goes into the walls by the environment. It is also that of the program which makes them, outside.
import { modelPrefix } from '../relay/rules.ts'
import { egressPort, type Model } from '../relay/schema.ts'
import type { Network } from '../schema.ts'

type Environment = Readonly<Record<string, string>>

/** By these a loader, a shell or systemd would do something else, and outside. */
const steering =
  /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|ENV|IFS|PS4|SHELLOPTS|BASHOPTS|BASH_.*|SYSTEMD_.*|DBUS_.*)$/

const here = `http://127.0.0.1:${egressPort}`

const proxied = (): Environment => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
  const around = '127.0.0.1,localhost,::1'
  return { ...Object.fromEntries(names.map((name) => [name, here])), NO_PROXY: around, no_proxy: around }
}

/** From in there its maker cannot be told anything: it would try, and keep it to try again with every session. */
const discreet: Environment = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }

export const walledEnvironment = (env: Environment, network: Network): Environment => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !steering.test(name))),
  ...(network === 'proxy' ? proxied() : {}),
  ...(network === 'full' ? {} : discreet),
})

/** In the order in which Claude Code itself takes them. */
const logins = [
  ['ANTHROPIC_AUTH_TOKEN', 'authorization'],
  ['ANTHROPIC_API_KEY', 'x-api-key'],
  ['CLAUDE_CODE_OAUTH_TOKEN', 'authorization'],
] as const

/** Long enough to be taken for a key; no secret. */
export const placeholder = 'sk-ant-agency-holds-the-real-key-outside-the-sandbox'

const realBase = 'https://api.anthropic.com'

export type Login = {
  /** What the agent gets to speak to the model. */
  readonly variables: Environment
  /** What only the relay knows; absent where the agent itself holds the key. */
  readonly model?: Model
}

/** `token` is the login that agency keeps. */
export const loginOf = (env: Environment, token: string | undefined, network: Network): Login => {
  const known: Environment = { ...env, ...(token === undefined ? {} : { CLAUDE_CODE_OAUTH_TOKEN: token }) }
  const [variable, header] = logins.find(([name]) => (known[name] ?? '') !== '') ?? []
  const key = variable === undefined ? undefined : known[variable]
  const base = env.ANTHROPIC_BASE_URL
  if (network === 'full')
    return {
      variables: {
        ...(variable === undefined || key === undefined ? {} : { [variable]: key }),
        ...(base === undefined ? {} : { ANTHROPIC_BASE_URL: base }),
      },
    }
  const headers =
    header === undefined || key === undefined
      ? {}
      : { [header]: header === 'authorization' ? `Bearer ${key}` : key }
  return {
    variables: {
      ...(variable === undefined ? {} : { [variable]: placeholder }),
      ANTHROPIC_BASE_URL: `${here}${modelPrefix}`,
    },
    model: { base: base ?? realBase, headers },
  }
}
