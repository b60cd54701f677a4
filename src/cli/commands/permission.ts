// Rules, tried on calls.
import type { Command } from '../io.ts'

export const permission: readonly Command[] = [
  {
    words: ['permission', 'match'],
    group: 'Look',
    agents: 'may',
    summary: 'Try a pattern on calls read from stdin, one JSON object a line: does it match, and why?',
    args: [],
    options: [
      {
        name: 'pattern',
        value: 'PATTERN',
        summary:
          'As in rules and gates: Bash(git push:*), Bash:gh issue close*, Edit(src/**), mcp__server__*.',
        required: true,
      },
    ],
    examples: [
      "cat calls.jsonl | agency permission match --pattern 'Bash:gh issue close*'",
      'echo \'{"id":1,"tool":"Bash","input":{"command":"git push"}}\' | agency permission match --pattern \'Bash(git push:*)\'',
    ],
    load: () => import('../permission/match.ts'),
  },
  {
    words: ['permission-request'],
    group: 'Work',
    agents: 'may',
    summary:
      'Answer a PermissionRequest hook of Claude Code, read from stdin: rules, reviewer, person; undecided it says nothing.',
    args: [],
    options: [{ name: 'agent', value: 'NAME', summary: 'Whose reviewer is asked; default $AGENCY_ACTOR.' }],
    examples: [
      'echo \'{"tool_name":"Bash","tool_input":{"command":"make test"}}\' | agency permission-request --agent arch-1',
    ],
    load: () => import('../permission/request/request.ts'),
  },
]
