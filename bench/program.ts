// Starts a program of ours and waits for its first line.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type Program = { readonly child: ChildProcess; readonly line: string }

export const start = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> => {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`${args[0]} ended with ${code} before its first line`)),
    ),
  ])) as [string]
  return { child, line }
}

export const end = async ({ child }: Program): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
