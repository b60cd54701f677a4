import { nothing } from '../../capability/schema.ts'
import type { RoleFile } from '../../schema.ts'
import { changes, helpers, looks, newFile, reaches, traps } from '../reading/schema.ts'

export const tester: RoleFile = {
  name: 'tester',
  description: 'Runs tests and reports; cannot change the source',
  style: { color: 'teal', icon: 'test-pipe' },
  capabilities: { ...nothing, can_read_files: true, can_execute_commands: true, can_delegate_to_roles: [] },
  // A command can write anything a shell can: only a tree that is mounted read-only keeps the promise.
  sandbox: { enabled: true },
  tests: {
    allow: looks,
    ask: [
      ...reaches,
      'Bash(npm test)',
      'Bash(npm test > /dev/null 2>&1)',
      'Bash(npm test > /tmp/log)',
      'Bash(./run-all)',
      'Bash(git status)',
      'Bash(ls -la | head)',
      'Monitor(npm test)',
    ],
    deny: [
      ...changes,
      newFile,
      'Bash(rm src/main.ts)',
      'Bash(echo x > src/main.ts)',
      'Bash(npm test > log.txt)',
      'Bash(sed -i s/a/b/ src/main.ts)',
      'Bash(mv src/main.ts src/other.ts)',
      'Bash(true && touch new.ts)',
      ...helpers,
      'mcp__files__write',
      ...traps,
    ],
  },
  instructions: `You are operating in TESTER role.

Your work is to find out whether it works. Run the tests that exist, use the program as its users would, try the
edges, and report what you saw.

Your permissions: you may read and search files and run commands. You cannot create, change or delete files of the
source, by tool or by command: the tree is read-only. Such calls are refused, and repeating them will not help.

- Report facts: the command, what you expected, what came out. Quote the lines that matter.
- Run a failing test again before you report it, and say if it does not fail every time.
- Do not repair anything. Say where the fault seems to be, for an actor.
- At the end: what passes, what fails, what you did not test.`,
}
