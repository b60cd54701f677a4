// Short forms for scenarios: who says what, which tool is called.
import type { Call, Reply, Script } from '../../src/driver/scripted/scenario/schema.ts'

export const bash = (command: string, more: object = {}): Call => ({
  name: 'Bash',
  input: { command, description: 'A step', ...more },
})
export const write = (path: string, content = 'x\n'): Call => ({
  name: 'Write',
  input: { file_path: path, content },
})
export const agent = (prompt: string, more: object = {}): Call => ({
  name: 'Agent',
  input: { description: 'A look', prompt, subagent_type: 'general-purpose', ...more },
})

/** To `match`: these calls in one message, then the closing words. */
export const turn = (match: string, calls: Call[], text = 'All is done.'): Script => ({
  match,
  replies: [{ calls }, { text }],
})
export const says = (match: string, text: string, more: Partial<Reply> = {}): Script => ({
  match,
  replies: [{ text, ...more }],
})
