// Claude Code as a driver: the pure parts joined.
import { fail } from '../../base/error/fail.ts'
import type { Driver } from '../driver.ts'
import type { Launch, Order } from '../schema.ts'
import { argv, argvProblems } from './argv/rules.ts'
import { environment, environmentProblems } from './env/rules.ts'
import { paste, withHeader } from './header/rules.ts'
import { answerHook, readHook } from './hook/rules.ts'
import { hookPolicy } from './policy/rules.ts'
import { question } from './question/rules.ts'
import { decisive, judge, spent } from './result/rules.ts'
import { seed } from './seed/rules.ts'
import { settings, settingsProblems } from './settings/rules.ts'
import { readStream } from './stream/rules.ts'
import { readTelemetry } from './telemetry/rules.ts'
import { readTranscript, transcriptPath } from './transcript/rules.ts'
import { atLeast, features, oldest, parseVersion, versionText } from './version/rules.ts'
import type { Features } from './version/schema.ts'

const problems = (order: Order): readonly string[] => [
  ...argvProblems(order),
  ...settingsProblems(order),
  ...environmentProblems(order.environment.task ?? {}).map((problem) => `env: ${problem}`),
]

const launch = (program: string, order: Order, has: Features): Launch => {
  const found = problems(order)
  if (found.length > 0) fail('launch_refused', { agent: order.agent.name, problems: found })
  const env = environment(order)
  const state = seed(order, env.ANTHROPIC_API_KEY)
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
  return {
    argv: argv(program, order, has),
    env,
    ...(order.terminal ? {} : { stdin: order.prompt ?? '' }),
    files: [
      { path: order.paths.settings, text: json(settings(order, has)), once: true },
      { path: `${order.paths.config}/.claude.json`, text: json(state), once: false },
    ],
  }
}

/** `printed` is what `claude --version` wrote. */
export const claude = (printed: string): Driver => {
  const version =
    parseVersion(printed) ?? fail('cli_version_unknown', { text: JSON.stringify(printed.slice(0, 80)) })
  if (!atLeast(version, oldest))
    fail('cli_too_old', { version: versionText(version), oldest: versionText(oldest) })
  const has = features(version)
  return {
    name: 'claude',
    version: versionText(version),
    capabilities: {
      hooks: true,
      permissionHookHeadless: has.permissionRequestInPrint,
      resume: true,
      fork: true,
      stream: true,
      transcript: true,
      telemetry: true,
      queue: true,
    },
    problems,
    launch: (program, order) => launch(program, order, has),
    question,
    readStream,
    readTranscript,
    transcriptPath,
    readTelemetry,
    readHook,
    answerHook,
    hookPolicy,
    decisive,
    judge,
    spent,
    // Enter is apart from the paste: while a dialog is up it would answer that, so the caller looks first.
    typed: (header, text) => ({ paste: paste(withHeader(header, text)), submit: '\r' }),
    stop: { interrupt: { keys: '\u001b', signal: 'SIGINT' }, end: 'SIGTERM' },
  }
}
