// The files of the corpus, and the examples that people start from, through every kind there is.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { name as nameSchema } from '../base/name/schema.ts'
import { validateAll, validateFile } from '../config/validate.ts'
import { problemLine } from '../config/yaml/rules.ts'
import { podFile } from '../pod/schema.ts'
import { scaffoldRole } from '../role/scaffold.ts'
import { kinds } from './kinds.ts'
import { directorFile } from './schema.ts'

type Case = {
  id: string
  surface: string
  name: string
  input: { file: string; text?: string; mode?: string; setup?: string; name?: string; role?: string }
  expect: { exit: number | number[]; stderr_has: string[] }
}
const corpus: Case[] = JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8'))

const temporary = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'agency-kinds-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return root
}

const put = (root: string, file: string, text: string): string => {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** What a person sees: exit code and lines. */
const validate = async (path: string, root?: string) => {
  const { problems, warnings } = await validateFile(path, kinds, root)
  const lines = [
    ...problems.map((each) => problemLine(each, root)),
    ...warnings.map((each) => `warning: ${problemLine(each, root)}`),
  ]
  return { exit: problems.length > 0 ? 2 : 0, lines }
}

test.each(corpus.filter((each) => each.surface === 'yaml'))(
  '$id $name',
  async ({ input, expect: wanted }) => {
    const root = temporary()
    const path = put(root, input.file, input.text ?? '')
    if (input.mode) chmodSync(path, Number.parseInt(input.mode, 8))
    if (input.setup) {
      rmSync(path)
      execFileSync('sh', ['-c', input.setup], { cwd: root })
    }
    const { exit, lines } = await validate(path, root)
    expect([wanted.exit].flat(), lines.join('\n')).toContain(exit)
    for (const word of wanted.stderr_has) expect(lines.join('\n').toLowerCase()).toContain(word.toLowerCase())
  },
)

const badNames = corpus.filter((each) => each.surface === 'agent-name' && each.input.role === undefined)

test.each(badNames)('$id: $name is no name in a template or for a director', ({ input: { name } }) => {
  expect(nameSchema.safeParse(name).success).toBe(false)
  expect(podFile.safeParse({ agents: [{ name, role: 'actor' }] }).success).toBe(false)
  expect(directorFile.safeParse({ type: 'github', name, repo: 'o/r' }).success).toBe(false)
})

const examples: Record<string, string> = {
  'roles/architect.yaml': `name: architect
description: "Designs systems and reviews architecture decisions"
model: opus
instructions: |
  You are an architect agent.
permissions:
  allow: ["Read", "Glob", "Grep", "WebSearch", "WebFetch", "Write(docs/**)", "Edit(docs/**)"]
  deny:
    - "Bash(rm -rf *)"
    - "Bash(sudo *)"
  agent:
    enabled: true
    instructions: |
      ALLOW: read-only tools
settings:
  enabledPlugins: {}
`,
  'roles/ops.yaml': `name: ops
model: sonnet
instructions: |
  You are an operations agent.
hooks:
  PostToolUse:
    - matcher: "Bash"
      command: "notify-on-deploy.sh"
      timeout: 10
  Stop:
    - hooks: [{type: http, url: "http://127.0.0.1:1"}]
`,
  'roles/feature-builder.yaml': `name: feature-builder
instructions: |
  You build features from specs.
description: "Builds features"
agent_type: claude
model: ""
root_dir: "."
claude_config_dir: ""
permissions:
  allow: ["Bash(make build)", "Bash(make test)"]
  deny: []
  agent:
    enabled: true
    instructions: "Only allow safe operations"
heartbeat:
  idle_timeout: "10m"
  message: "Status update?"
  condition: ""
worktree:
  enabled: false
  branch_from: main
  use_detached_head: false
hooks: {}
settings: {}
`,
  'pods/roles/lead.yaml': 'name: lead\ninherits: commander\n',
  'pods/templates/backend-team.yaml': `pod_name: backend-team
agents:
  - name: feature-builder
    role: feature-builder
  - name: test-runner
    role: tester
  - role: lead
`,
  'agents/agent-01/config.yaml': `port: 9000
log_level: info
claude:
  model: sonnet
  timeout: 30m
sandbox:
  enabled: true
  allow_network: true
  read_only_paths: []
  read_write_paths: []
`,
  'directors/github-myrepo/config.yaml': `type: github
name: myagent
port: 9100
repo: owner/repo
poll_interval: 30s
discovery:
  method: port_scan
  port_range: [9000, 9199]
prompts:
  work: |
    You are working on issue #{{.Number}}: {{.Title}}
    {{.Body}}
  review: |
    Review changes. Say "LGTM" if acceptable.
settings:
  max_reviews: 3
  branch_prefix: claude/issue-
  require_approval: true
`,
  'directors/scheduler-main/config.yaml': `type: scheduler
name: scheduler-main
port: 9101
discovery:
  method: port_scan
  port_range: [9000, 9099]
schedule:
  - name: daily-cleanup
    cron: "0 2 * * *"           # 2am daily
    prompt: "Review and clean up stale branches older than 7 days"
    workdir: /tmp
  - name: weekly-deps
    cron: "0 9 * * 1"
    prompt: "Check for dependency updates"
    workdir: /tmp
`,
  'directors/web-main/config.yaml': `type: web
name: web-main
port: 8443
bind: 127.0.0.1
discovery:
  method: port_scan
  port_range: [9000, 9199]
  refresh_interval: 1s
tls:
  cert: ~/.agency/web-director/cert.pem
  key: ~/.agency/web-director/key.pem
  auto_generate: true
`,
}

test('files as people know them are valid, without a warning', async () => {
  const root = temporary()
  for (const [file, text] of Object.entries(examples)) put(root, file, text)
  const results = await validateAll(root, kinds)
  expect(results.map((each) => each.file.slice(root.length + 1)).sort()).toEqual(Object.keys(examples).sort())
  for (const { file, problems, warnings } of results)
    expect({ file, problems, warnings }).toEqual({ file, problems: [], warnings: [] })
})

test.each([
  [
    'directors/g/config.yaml',
    'type: github\nrepo: o/r\npoll_interval: 500ms\n',
    ['directors/g/config.yaml:3:16 poll_interval must be at least 1s'],
  ],
  [
    'directors/g/config.yaml',
    'type: github\nrepo: ../r\n',
    ['directors/g/config.yaml:2:7 repo must be owner/name, such as octocat/hello-world'],
  ],
  [
    'directors/v/config.yaml',
    'type: view\nbind: 999.1.1.1\n',
    ['directors/v/config.yaml:2:7 bind must be an address, such as 127.0.0.1'],
  ],
  [
    'directors/all/config.yaml',
    'type: view\n',
    ['directors/all/config.yaml:1:1 the directory "all" has a reserved name'],
  ],
  [
    'roles/x.yaml',
    'name: x\ninherits: nope\n',
    ['roles/x.yaml:2:11 inherits must name a role: there is no "nope" (x → nope)'],
  ],
  [
    'roles/x.yaml',
    'name: x\ninstructions: i\ncapabilities: {can_delegate_to_roles: [Planner, acter]}\n',
    [
      'warning: roles/x.yaml:3:49 capabilities.can_delegate_to_roles[1]: "acter" is no role of this root (did you mean actor?)',
    ],
  ],
  [
    'roles/x.yaml',
    'name: x\ninherits: planner\ncapabilities: {can_write_files: true}\n',
    ['warning: roles/x.yaml:3:33 capabilities.can_write_files is wider than in planner, which it inherits'],
  ],
  [
    'roles/x.yaml',
    'name: x\ninstructions: i\nhooks: {PostToolUs: []}\n',
    ['roles/x.yaml:3:9 unknown field hooks.PostToolUs (did you mean PostToolUse?)'],
  ],
  [
    'roles/x.yaml',
    'name: x\ninstructions: i\nhooks: {Stop: [{matcher: x}]}\n',
    [
      'roles/x.yaml:3:16 hooks.Stop[0] needs either command (short form) or hooks (the form of Claude), not both',
    ],
  ],
  [
    'roles/x.yaml',
    'name: x\ninstructions: i\npermission_mode: delegate\n',
    [
      'roles/x.yaml:3:18 permission_mode must be one of default, manual, acceptEdits, plan, dontAsk, auto, bypassPermissions, not "delegate"',
    ],
  ],
  [
    'roles/x.yaml',
    'name: x\ninstructions: i\nsettings: {env: {OTEL_LOGS_EXPORTER: none}}\n',
    ['roles/x.yaml:3:38 settings.env.OTEL_LOGS_EXPORTER is reserved: agency sets it'],
  ],
  [
    'roles/x.yaml',
    'name: x\n',
    ['roles/x.yaml:1:1 needs `instructions` or `system_prompt`: what the agent is told'],
  ],
  [
    'pods/templates/p.yaml',
    'agents: [{role: nope}]\n',
    [
      'pods/templates/p.yaml:1:17 agents[0].role must name a role: there is no "nope" (`agency role list` shows them)',
    ],
  ],
  [
    'agents/a/config.yaml',
    'role: nope\nroot_dir: sub\n',
    [
      'agents/a/config.yaml:1:7 role must name a role: there is no "nope" (`agency role list` shows them)',
      expect.stringContaining('agents/a/config.yaml:2:11 root_dir is sub, but there is no directory'),
    ],
  ],
  [
    'directors/s/config.yaml',
    'type: scheduler\nschedule:\n  - {name: j, cron: "@daily", prompt: p, workdir: /nope}\n',
    ['directors/s/config.yaml:3:51 schedule[0].workdir is /nope, but there is no directory /nope'],
  ],
])('%s: %j', async (file, text, lines) => {
  const root = temporary()
  expect((await validate(put(root, file, text), root)).lines).toEqual(lines)
})

test.each(['123', 'true', 'null', '1e3', '0x1f'])('a scaffolded role called %s is one', async (name) => {
  const root = temporary()
  expect(await validate(await scaffoldRole(root, name), root)).toEqual({ exit: 0, lines: [] })
})

test('a scaffolded role is valid, names its schema, and is not replaced', async () => {
  const root = temporary()
  for (const pod of [false, true]) {
    const file = await scaffoldRole(root, 'coder', { pod })
    expect(await validate(file, root)).toEqual({ exit: 0, lines: [] })
    expect(readFileSync(file, 'utf8')).toContain(`$schema=${pod ? '../../' : '../'}schemas/role.json\n`)
    const text = readFileSync(file, 'utf8').replace(/^# (?=[a-z_]+:| {2,}[a-z_A-Z])/gm, '')
    writeFileSync(file, text.replace('inherits: actor\n', ''))
    expect((await validate(file, root)).lines.filter((line) => !line.startsWith('warning'))).toEqual([])
  }
  await expect(scaffoldRole(root, 'coder')).rejects.toMatchObject({ code: 'role_exists' })
  await expect(scaffoldRole(root, '../coder')).rejects.toMatchObject({ code: 'validation_error' })
})

const undescribed = (schema: unknown, path: string): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const node = schema as Record<string, unknown>
  const fields = Object.entries((node.properties ?? {}) as Record<string, Record<string, unknown>>)
  return [
    ...fields.flatMap(([key, field]) => (field.description || field.$ref ? [] : [`${path}.${key}`])),
    ...Object.entries(node).flatMap(([key, each]) => undescribed(each, `${path}/${key}`)),
  ]
}

test.each(kinds.filter(({ name }) => name !== 'config'))(
  'every field of $name has a description',
  ({ name, schema }) => {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    expect(undescribed(json, name)).toEqual([])
  },
)
