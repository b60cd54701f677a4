// What starts something.
import type { Command } from '../io.ts'

const group = 'Work'

export const work: readonly Command[] = [
  {
    words: ['up'],
    group,
    agents: 'never',
    summary: 'Run the host of this root in the foreground.',
    args: [],
    options: [
      { name: 'detach', summary: 'In the background (same as `agency start`).' },
      { name: 'yield', summary: 'End quietly if another host is faster.' },
    ],
    signals: true,
    examples: ['agency up', 'agency up --detach'],
    load: () => import('../host/up.ts'),
  },
  {
    words: ['start'],
    group,
    agents: 'never',
    summary: 'Run the host of this root in the background (same as `agency up --detach`).',
    args: [],
    options: [],
    examples: ['agency start'],
    load: () => import('../host/start.ts'),
  },
  {
    words: ['serve'],
    group,
    agents: 'never',
    summary:
      'Run one component in the foreground, in the host of the root or in one of its own; a signal drains and ends it.',
    args: [
      {
        name: 'component',
        summary: 'What it is.',
        choices: ['agent', 'view', 'github', 'gitlab', 'scheduler', 'manager'],
      },
    ],
    options: [
      { name: 'config', value: 'FILE', summary: 'Its config, wherever it lies.' },
      {
        name: 'name',
        value: 'NAME',
        summary: 'What to call it; default `name` of the file, else its directory.',
      },
    ],
    signals: true,
    examples: [
      'agency serve agent --config ~/.agency/agents/ag-01/config.yaml',
      'agency serve agent --config ./agent.yaml --name ag-02',
    ],
    load: () => import('../serve/serve.ts'),
  },
  {
    words: ['run'],
    group,
    agents: 'delegate',
    summary: 'Launch an agent from a role, or any command without one, unsupervised.',
    args: [],
    options: [
      { name: 'role', value: 'ROLE', summary: 'The recipe.' },
      { name: 'name', value: 'NAME', summary: 'What to call the agent; default the role.' },
      { name: 'pod', value: 'POD', summary: 'The pod it belongs to; default $AGENCY_POD.' },
      {
        name: 'override',
        value: 'KEY=VALUE',
        summary: 'Change a field of the role for this launch.',
        repeat: true,
      },
      { name: 'detach', summary: 'Do not attach to its terminal.' },
      { name: 'dry-run', summary: 'Show what would be done and stop.' },
    ],
    rest: 'ARGS',
    examples: [
      'agency run --role coder --name coder-1',
      'agency run --role coder --override worktree.enabled=true --dry-run',
      'agency run --name shell -- bash',
    ],
    load: () => import('../agent/run.ts'),
  },
  {
    words: ['pod', 'launch'],
    group,
    agents: 'never',
    summary: 'Launch every agent of a pod template; those that are up stay as they are.',
    args: [{ name: 'template', summary: 'Its name.' }],
    options: [
      {
        name: 'pod',
        value: 'POD',
        summary: "What to call the pod; default $AGENCY_POD, then the template's.",
      },
      { name: 'dry-run', summary: 'Show what would be done and stop.' },
    ],
    examples: ['agency pod launch backend', 'agency pod launch backend --pod blue --dry-run'],
    load: () => import('../pod/launch.ts'),
  },
  {
    words: ['session', 'resume'],
    group,
    agents: 'never',
    summary: 'Go on with the last session of an agent that has ended or was lost.',
    args: [{ name: 'name', summary: 'The agent.' }],
    options: [{ name: 'detach', summary: 'Do not attach to its terminal.' }],
    examples: ['agency session resume coder-1'],
    load: () => import('../session/resume.ts'),
  },
  {
    words: ['session', 'fork'],
    group,
    agents: 'never',
    summary: 'Launch another agent that begins with what an agent, living or ended, has said.',
    args: [{ name: 'agent', summary: 'Whose conversation; it is not disturbed.' }],
    options: [
      {
        name: 'name',
        value: 'NAME',
        summary: 'What to call the new agent; default AGENT-2, or the next free.',
      },
      { name: 'detach', summary: 'Do not attach to its terminal.' },
    ],
    examples: ['agency session fork coder-1', 'agency session fork coder-1 --name try --detach'],
    load: () => import('../session/fork.ts'),
  },
  {
    words: ['attach'],
    group,
    agents: 'never',
    summary: 'Sit down at the terminal of an agent; Ctrl-\\ leaves it running.',
    args: [{ name: 'name', summary: 'The agent.' }],
    options: [
      { name: 'detach-key', value: 'KEY', summary: 'What leaves, such as ctrl-]; default ctrl-\\.' },
      { name: 'no-bar', summary: 'Give the agent the whole window, without the bar on the last row.' },
    ],
    examples: ['agency attach coder-1', 'agency attach coder-1 --detach-key ctrl-]'],
    load: () => import('../attach/attach.ts'),
  },
  {
    words: ['hook'],
    group,
    agents: 'may',
    summary:
      'Answer a hook event of Claude Code: as the listener in $AGENCY_HOOK says, else as the review gate; no answer denies.',
    args: [{ name: 'event', summary: 'As `pre-tool-use`, `PreToolUse` or `user-prompt`.' }],
    options: [],
    examples: ['agency hook pre-tool-use', 'roz hook stop'],
    load: () => import('../hook/run.ts'),
  },
  {
    words: ['hook', 'collect'],
    group,
    agents: 'may',
    summary:
      'Note a hook event of Claude Code, read from stdin, in the journal; silent, and never in the way.',
    args: [],
    options: [{ name: 'agent', value: 'NAME', summary: 'Whose event it is; default $AGENCY_ACTOR.' }],
    examples: ['agency hook collect --agent coder-1'],
    load: () => import('../hook/collect.ts'),
  },
]
