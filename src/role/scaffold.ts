// `agency role init NAME`: a file to start from.
import { mkdir } from 'node:fs/promises'
import { stringify } from 'yaml'
import { fail } from '../base/error/fail.ts'
import { writeNew } from '../base/file/write.ts'
import { directoryOf, requireName } from './read.ts'

const text = (name: string, schema: string): string => `# yaml-language-server: $schema=${schema}
# A role: what an agent is told, may use, touch and spend.
# \`agency role check ${name}\` checks this file; \`agency run --role ${name}\` launches an agent from it.
name: ${stringify(name).trim()}
description: What agents of this role do, in one line

# What the agent is told, after the prompt of Claude Code. (system_prompt: would replace that prompt.)
instructions: |
  You are a ${name} agent. Implement what is asked, with tests.
  Say what you did and how you checked it.

# A role whose fields hold where this file is silent: planner, actor, commander, designer, reviewer, tester
# or one of yours.
# inherits: actor

# opus, sonnet, haiku or a full name; without it Claude Code chooses.
# model: sonnet

# default, acceptEdits, plan, dontAsk, auto or bypassPermissions
# permission_mode: default

# What the role may do at all. A key that is left out of this block is "no".
# capabilities:
#   can_read_files: true
#   can_write_files: true
#   can_create_files: true
#   can_delete_files: false
#   can_execute_commands: true

permissions:
  # Calls that need no question.
  allow:
    - Read
    - Glob
    - Grep
  # Calls that are refused, whatever else is said.
  deny:
    - Bash(sudo *)
    - Bash(git push --force *)
  # An AI that reviews the rest; without it every other request goes to you.
  # agent:
  #   instructions: |
  #     ALLOW: running tests. DENY: deleting what it did not make. ASK_USER: anything else.

# Where it works: "." is where you call, a relative path is below the root.
# root_dir: .

# A git worktree for each agent.
# worktree:
#   enabled: true
#   branch_from: main

# Limits; what is not named has none.
# budget:
#   turns: 200
#   wall_time: 2h

# Nudges an idle agent.
# heartbeat:
#   idle_timeout: 10m
#   message: What are you waiting for?

# Whether it takes tasks that wait for whoever is free.
# queue: true

# Calls and what must be decided of them.
tests:
  deny:
    - Bash(sudo reboot)
`

/** Makes the file and says where; refuses to replace one. */
export const scaffoldRole = async (
  root: string,
  name: string,
  { pod = false }: { readonly pod?: boolean } = {},
): Promise<string> => {
  requireName('role', name)
  const directory = directoryOf(root, pod ? 'pod' : 'root')
  const file = `${directory}/${name}.yaml`
  await mkdir(directory, { recursive: true })
  const made = await writeNew(file, text(name, `${pod ? '../../' : '../'}schemas/role.json`), 0o644)
  if (!made) fail('role_exists', { name, file })
  return file
}
