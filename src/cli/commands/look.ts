// What only looks, or changes a setting.
import type { Command } from '../io.ts'

const group = 'Look'

export const look: readonly Command[] = [
  {
    words: ['status'],
    group,
    summary: 'Is the host of this root up, and what does it run?',
    args: [],
    options: [],
    examples: ['agency status --json'],
    load: () => import('../host/status.ts'),
  },
  {
    words: ['list'],
    group,
    summary: 'List the components: agents, directors, views, bridges.',
    args: [],
    options: [
      { name: 'pod', value: 'POD', summary: "Only this pod ('*' = every pod); default $AGENCY_POD." },
    ],
    examples: ['agency list', "agency list --pod '*' --json"],
    load: () => import('../host/list.ts'),
  },
  {
    words: ['config'],
    group,
    summary: 'Show every setting and where it comes from (same as `config list`).',
    args: [],
    options: [],
    examples: ['agency config'],
    load: () => import('../config/list.ts'),
  },
  {
    words: ['config', 'list'],
    group,
    summary: 'Show every setting and where it comes from.',
    args: [],
    options: [],
    examples: ['agency config list --json'],
    load: () => import('../config/list.ts'),
  },
  {
    words: ['config', 'get'],
    group,
    summary: 'Show one setting and where it comes from.',
    args: [{ name: 'key', summary: 'Dotted, as in config.yaml.' }],
    options: [],
    examples: ['agency config get host.port'],
    load: () => import('../config/get.ts'),
  },
  {
    words: ['config', 'set'],
    group,
    summary: 'Change one setting in config.yaml; its comments stay.',
    args: [
      { name: 'key', summary: 'Dotted, as in config.yaml.' },
      { name: 'value', summary: "Read as YAML; '' = back to the default.", empty: true },
    ],
    options: [],
    examples: ['agency config set host.port 9300'],
    person: true,
    load: () => import('../config/set.ts'),
  },
  {
    words: ['validate'],
    group,
    summary: 'Check a YAML file, or all of the root: file, line, what is wrong, what was meant.',
    args: [
      { name: 'file', summary: 'A role, pod, agent, director or config file.', optional: true, kind: 'file' },
    ],
    options: [{ name: 'all', summary: 'Every file of the root.' }],
    oneOf: ['file', 'all'],
    examples: ['agency validate roles/coder.yaml', 'agency validate --all'],
    load: () => import('../validate/validate.ts'),
  },
  {
    words: ['version'],
    group,
    summary: 'Show the version.',
    args: [],
    options: [],
    examples: ['agency version'],
    load: () => import('../version.ts'),
  },
  {
    words: ['completion'],
    group,
    summary: 'Print the completion script of a shell.',
    args: [{ name: 'shell', summary: 'Which shell.', choices: ['bash', 'zsh', 'fish'] }],
    options: [],
    examples: [
      'eval "$(agency completion bash)"',
      'agency completion fish > ~/.config/fish/completions/agency.fish',
    ],
    load: () => import('../completion/print.ts'),
  },
  {
    words: ['worktree', 'list'],
    group,
    summary: 'List the worktrees of agents and what they hold.',
    args: [],
    options: [],
    examples: ['agency worktree list --json'],
    load: () => import('../worktree/list.ts'),
  },
]
