// `!command`: the way past every hook that a message must never take by accident.
import type { Context } from '../session/context.ts'
import { runBash, shellEnv } from '../tool/bash.ts'

/** `!command` runs at once: no hook is asked and no permission. The model is told of it afterwards. */
export const runShell = async (
  context: Context,
  command: string,
  signal: AbortSignal,
): Promise<{ output: string; told: string }> => {
  const { output } = await runBash(command, {
    cwd: context.cwd,
    env: shellEnv(context.env, context.session),
    timeoutMs: 600_000,
    signal,
  })
  const texts = [
    `<bash-input>${command}</bash-input>`,
    `<bash-stdout>${output}</bash-stdout><bash-stderr></bash-stderr>`,
  ]
  for (const text of texts) context.transcript.user(text)
  return { output, told: texts.join('\n') }
}
