// What a turn shows on the terminal, and how it asks for permission there.
import { setTimeout as wait } from 'node:timers/promises'
import type { Json } from '../hook/rules.ts'
import type { Reply, Screen } from '../session/context.ts'
import { suggestion } from '../tool/rules.ts'
import type { Desk } from './desk.ts'

/** A hook that answers at once leaves no trace of a dialog. */
const quickMs = 100

const describe = (tool: string, input: Json): string =>
  tool === 'Bash'
    ? String(input.command)
    : String(input.file_path ?? input.description ?? JSON.stringify(input))

const heading: Record<string, string> = { Bash: 'Bash command', Write: 'Create file', Edit: 'Edit file' }

const always = (tool: string, input: Json): string => {
  const [first] = suggestion(tool, input) as { type: string; rules?: { ruleContent?: string }[] }[]
  if (first?.type === 'setMode') return 'Yes, allow all edits during this session'
  return `Yes, and always allow ${first?.rules?.[0]?.ruleContent ?? tool} in this project`
}

const answers: readonly Reply[] = ['yes', 'always', 'no']

export type TerminalScreen = Screen & { flush: () => void }

export const openScreen = (desk: Desk, queued: () => string | undefined): TerminalScreen => {
  let partial = ''
  const flush = (): void => {
    const said = partial
    partial = ''
    desk.partial('')
    if (said !== '') desk.log(said)
  }
  return {
    flush,
    queued,
    emit: () => undefined,
    piece: (text) => {
      partial += text
      const end = partial.lastIndexOf('\n')
      if (end >= 0) desk.log(partial.slice(0, end))
      partial = partial.slice(end + 1)
      desk.partial(partial)
    },
    tool: (name, input) => {
      flush()
      desk.log(`● ${name}(${describe(name, input)})`)
    },
    note: (text) => {
      flush()
      desk.log(`  ⎿  ${text}`)
    },
    ask: async (tool, input, signal) => {
      flush()
      // Cancelled meanwhile: whoever was faster has answered, this answer is not looked at.
      const slow = await wait(quickMs, true, { signal }).catch(() => false)
      if (!slow) return 'no'
      const title = [
        heading[tool] ?? `Use of ${tool}`,
        '',
        ...describe(tool, input).split('\n'),
        '',
        'Do you want to proceed?',
      ]
      const options = ['Yes', always(tool, input), 'No, and tell Claude what to do differently (esc)']
      return answers[await desk.choose({ title, options, preset: 0 }, signal)] ?? 'no'
    },
  }
}
