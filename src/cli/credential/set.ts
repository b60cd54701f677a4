import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { credentialNamed, setCredential } from '../../config/credential/keep.ts'
import { oddValue } from '../../config/credential/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { which } from '../doctor/probe.ts'
import type { Call, Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { readSecret } from './secret.ts'

const origins = {
  'claude-token': '`claude setup-token` prints one',
  'github-token': '`gh auth token` prints one',
  'gitlab-token': 'GitLab: Preferences, Access tokens',
}

/** Claude Code makes the token and shows it; it is then pasted here. Where it cannot, people have one already. */
const setUpClaude = async ({ io: { env }, progress, warn }: Call): Promise<void> => {
  const claude = await which(env.CLAUDE_BIN || 'claude', env)
  if (claude === undefined) return
  progress('running `claude setup-token` …')
  const child = spawn(claude, ['setup-token'], { env: env as NodeJS.ProcessEnv, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) warn(`\`claude setup-token\` ended with ${code}.`)
}

export const run: Handler = async (call) => {
  const name = credentialNamed(call.values.name ?? '')
  const { directory: root } = await findRoot(where(call.io))
  if (name === 'claude-token' && call.io.stdin.isTTY) await setUpClaude(call)
  const secret = await readSecret(call, `${name} (${origins[name]}; what you type is not shown): `)
  await setCredential(root, name, secret)
  const odd = oddValue(name, secret.trim())
  return {
    data: { name, stored: true },
    lines: [`Stored ${name}, readable only by you. \`agency credential check ${name}\` tries it.`],
    warnings: odd === undefined ? [] : [`the value ${odd}; it is stored all the same.`],
  }
}
