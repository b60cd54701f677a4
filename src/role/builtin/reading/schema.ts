// What every built-in role may do, and what none of those without commands may.
import type { ExampleCall } from '../../example/schema.ts'

const made = (file_path: string): ExampleCall => ({
  tool: 'Write',
  input: { file_path, content: '' },
  exists: false,
})

/** A file that is not there yet. */
export const newFile = made('docs/new.md')

export const looks: ExampleCall[] = [
  'Read(src/main.ts)',
  'Grep(src)',
  'Glob(src)',
  'TodoWrite',
  'AskUserQuestion',
]

export const reaches: ExampleCall[] = ['Read(//etc/hosts)', 'WebFetch(domain:example.com)', 'WebSearch(news)']

export const changes: ExampleCall[] = [
  'Write(src/main.ts)',
  'Edit(src/main.ts)',
  'MultiEdit(src/main.ts)',
  'NotebookEdit(work.ipynb)',
]

export const commands: ExampleCall[] = [
  'Bash(ls)',
  'Bash(echo x > notes.md)',
  'Bash(rm notes.md)',
  `Bash(python3 -c 'open("notes.md", "w")')`,
  'Bash(npm test)',
  'Monitor(tail -f log)',
  'Skill(deploy)',
  'mcp__files__write',
]

export const helpers: ExampleCall[] = ['Agent(general-purpose)', 'Task(Explore)']

/** What decides what runs outside of an agent is nobody's to write. */
export const traps: ExampleCall[] = [
  'Write(.git/hooks/pre-commit)',
  'Edit(.git/config)',
  made('.mcp.json'),
  made('.claude/settings.json'),
  'Write(.claude/hooks/guard.sh)',
]
