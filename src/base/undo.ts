// What was set up is taken down in reverse, all of it, also when one step fails.
import type { Log } from './log/open.ts'

export type Undo = {
  add(name: string, step: () => unknown): void
  run(log?: Pick<Log, 'error'>): Promise<void>
}

export const undoing = (): Undo => {
  const steps: { name: string; step: () => unknown }[] = []
  return {
    add: (name, step) => void steps.push({ name, step }),
    run: async (log) => {
      for (let next = steps.pop(); next; next = steps.pop()) {
        try {
          await next.step()
        } catch (error) {
          log?.error(`could not ${next.name}`, { reason: (error as Error).message })
        }
      }
    },
  }
}
