// What goes on behind the turn: subagents and commands in the background.
type Json = Record<string, unknown>
export type Task = { id: string; type: string; description: string; agent_type?: string; command?: string }
export type Tasks = {
  start: (task: Task, result: Promise<string>) => void
  running: () => Json[]
  /** The notification of the next one that ends; undefined when no subagent is left. A command is not waited for. */
  next: () => Promise<string | undefined>
  /** Called whenever one has ended. */
  watch: (ended: () => void) => void
  take: () => string | undefined
}

const notification = (task: Task, result: string): string =>
  [
    '<task-notification>',
    `<task-id>${task.id}</task-id>`,
    '<status>completed</status>',
    `<summary>${task.type === 'subagent' ? 'Agent' : 'Background command'} "${task.description}" completed</summary>`,
    `<result>${result}</result>`,
    '</task-notification>',
  ].join('\n')

export const openTasks = (): Tasks => {
  const running = new Map<string, Task>()
  const ended: string[] = []
  let tell = (): void => undefined
  let wake = (): void => undefined
  return {
    start: (task, result) => {
      running.set(task.id, task)
      void result.then((text) => {
        running.delete(task.id)
        ended.push(notification(task, text))
        wake()
        tell()
      })
    },
    running: () => [...running.values()].map((task) => ({ ...task, status: 'running' })),
    next: async () => {
      while (ended.length === 0 && [...running.values()].some(({ type }) => type === 'subagent'))
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return ended.shift()
    },
    watch: (told) => {
      tell = told
    },
    take: () => ended.shift(),
  }
}
