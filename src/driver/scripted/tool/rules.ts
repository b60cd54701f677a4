// Which tools there are, what they need, and what a dialog offers to remember about them.
type Json = Record<string, unknown>

/** What each tool cannot do without. */
const needs: Record<string, readonly string[]> = {
  Bash: ['command'],
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  Read: ['file_path'],
  Agent: ['description', 'prompt'],
}
export const tools = Object.keys(needs)

/** `Task` is the old name of `Agent`, still what lists of tools call it. */
export const nameOf = (tool: string): string => (tool === 'Task' ? 'Agent' : tool)

/** The tools that are there: those asked for, less those refused by a bare name. */
export const offered = (asked: readonly string[] | undefined, refused: readonly string[]): string[] =>
  tools.filter(
    (tool) =>
      (asked === undefined || asked.map(nameOf).includes(tool)) && !refused.map(nameOf).includes(tool),
  )

export const invalid = (tool: string, input: Json): string | undefined => {
  const missing = (needs[tool] ?? []).filter((name) => typeof input[name] !== 'string')
  if (missing.length === 0) return undefined
  const words = missing.map((name) => `The required parameter \`${name}\` is missing`)
  return `InputValidationError: ${tool} failed due to the following issue:\n${words.join('\n')}`
}

const clampMs = (given: unknown): number =>
  typeof given === 'number' && given > 0 ? Math.min(given, 600_000) : 120_000
export const timeoutOf = (input: Json): number => clampMs(input.timeout)

export const suggestion = (tool: string, input: Json): Json[] => {
  if (tool === 'Bash') {
    const words = String(input.command ?? '').split(/\s+/)
    const rule = { toolName: 'Bash', ruleContent: `${words[0]} *` }
    return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' }]
  }
  return tool === 'Write' || tool === 'Edit'
    ? [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
    : [{ type: 'addRules', rules: [{ toolName: tool }], behavior: 'allow', destination: 'session' }]
}
