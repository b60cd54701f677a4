import { expect, test } from 'vitest'
import { completeRole } from '../../../role/rules.ts'
import type { RoleFile } from '../../../role/schema.ts'
import { shownRole } from './rules.ts'

const shown = (file: RoleFile): string => shownRole(completeRole(file), 'roles/x.yaml').join('\n')

test('a role as its file has it', () => {
  expect(
    shown({
      name: 'architect',
      description: 'Designs systems and reviews architecture decisions',
      model: 'opus',
      instructions: 'You are an architect agent.\n\n- Design\n',
      permissions: {
        allow: ['Read', 'Write(docs/**)'],
        deny: ['Bash(rm -rf *)', 'Bash(sudo *)'],
        agent: { instructions: 'ALLOW: reading\n' },
      },
      settings: { enabledPlugins: {} },
    }),
  ).toBe(`Name:        architect
Model:       opus
Description: Designs systems and reviews architecture decisions
From:        roles/x.yaml
Mode:        default
May:         read files, write files, create files, delete files, execute commands

Instructions:
  You are an architect agent.

  - Design

Permissions:
  Allow: Read, Write(docs/**)
  Deny:  Bash(rm -rf *), Bash(sudo *)
  Agent: enabled

Reviewer:
  ALLOW: reading

Settings:
  enabledPlugins: {}`)
})

test('everything that is not as usual is said', () => {
  expect(
    shown({
      name: 'x',
      agent_type: 'command',
      command: ['make', 'watch'],
      system_prompt: 'Be brief.',
      root_dir: 'projects/a',
      claude_config_dir: '/c',
      pod: 'p',
      credentials: ['github-token'],
      project_settings: 'ignore',
      capabilities: { can_read_files: true, can_delegate_to_roles: ['coder', 'tester'] },
      worktree: { enabled: true, branch_from: 'dev', use_detached_head: true },
      heartbeat: { idle_timeout: '5m', message: 'Go on.' },
      budget: { turns: 3 },
      hooks: { Stop: [{ command: 'true' }] },
    }),
  ).toBe(`Name:        x
From:        roles/x.yaml
Runs:        command make watch
Mode:        default
May:         read files, delegate to coder, tester
Works in:    projects/a
Worktree:    from dev, without a branch
Pod:         p
Config:      /c
Credentials: github-token
Project:     its settings are ignored

System prompt:
  Be brief.

Permissions:
  Allow: -
  Deny:  -
  Agent: not enabled: what no rule decides is asked of you

Budget:
  turns: 3

Heartbeat:
  idle_timeout: 5m
  message: Go on.
  condition: ""

Hooks:
  Stop:
    - command: "true"`)
})
