import fc from 'fast-check'
import { expect, test } from 'vitest'
import { builtinRoles } from '../../role/builtin/schema.ts'
import { abilities, type Capabilities, everything, nothing } from '../../role/capability/schema.ts'
import { readCall } from '../../role/example/rules.ts'
import { completeRole } from '../../role/rules.ts'
import type { RoleFile } from '../../role/schema.ts'
import type { Call } from '../call/schema.ts'
import { decide, pathsOf, strictest } from './rules.ts'
import type { Facts, Opinion, State } from './schema.ts'

const place = {
  cwd: '/w/tree',
  tree: '/w/tree',
  home: '/home/me',
  root: '/home/me/.agency',
  session: '/home/me/.agency/sessions/a',
  config: '/home/me/.agency/sessions/a/.claude',
}
const open: State = { place, sandboxed: false }
const walled: State = { place, sandboxed: true }

const callOf = (text: string): Call => {
  const read = readCall(text)
  if ('problem' in read) throw new Error(read.problem)
  return read.call
}

/** What is there, and what are links; everything else is not there. */
const there: Readonly<Record<string, string>> = {
  '/w/tree/kept.txt': '/w/tree/kept.txt',
  '/w/tree/link.txt': '/w/tree/kept.txt',
  '/w/tree/out': '/home/me/.agency/roles/coder.yaml',
  '/w/tree/secret-link': '/w/tree/.env',
  '/w/tree/token-link': '/home/me/.agency/token',
}
const look = (call: Call, state: State): Facts =>
  Object.fromEntries(
    pathsOf(call, state.place).map((path) => [path, { exists: path in there, real: there[path] ?? path }]),
  )

const role = (more: Partial<RoleFile> = {}) => completeRole({ name: 'r', instructions: 'i', ...more })
const able = (...words: (keyof Capabilities)[]) =>
  role({ capabilities: Object.fromEntries(words.map((word) => [word, true])) })
const builtin = (name: string) => completeRole(builtinRoles.find((each) => each.name === name) as RoleFile)

const said = (of: ReturnType<typeof role>, state: State, text: string): string => {
  const call = callOf(text)
  const { verdict, by } = decide(of, state, call, look(call, state))
  return verdict === 'none' ? 'none' : [verdict, by.layer, by.rule].filter(Boolean).join(' ')
}

test.each([
  ['Write(new.txt)', 'none'],
  ['Write(kept.txt)', 'deny capabilities can_write_files'],
  ['Write(link.txt)', 'deny capabilities can_write_files'],
  ['Write(sub/dir/new.txt)', 'none'],
  ['Edit(kept.txt)', 'deny tools can_write_files'],
  ['Write', 'deny capabilities can_write_files'],
  ['Bash(touch x)', 'deny tools can_execute_commands'],
])('who may create: %s → %s', (call, expected) => {
  expect(said(able('can_read_files', 'can_create_files'), open, call)).toBe(expected)
})

test.each([
  ['Write(kept.txt)', 'none'],
  ['Write(new.txt)', 'deny capabilities can_create_files'],
  ['Edit(kept.txt)', 'none'],
  ['Edit(new.txt)', 'deny capabilities can_create_files'],
])('who may change: %s → %s', (call, expected) => {
  expect(said(able('can_read_files', 'can_write_files'), open, call)).toBe(expected)
})

/** Command, without walls, and with a tree that is read-only. */
test.each([
  ['ls -la', 'none', 'none'],
  ['cat kept.txt | grep x', 'none', 'none'],
  ['git status', 'none', 'none'],
  ['npm test > /dev/null 2>&1', 'deny', 'none'],
  ['echo x > /dev/null', 'none', 'none'],
  ['echo x > kept.txt', 'deny', 'deny'],
  ['echo x > new.txt', 'deny', 'deny'],
  ['echo x >> "$file"', 'deny', 'none'],
  ['rm kept.txt', 'deny', 'deny'],
  ['cat list | xargs rm', 'deny', 'none'],
  ['find . -name "*.o" -delete', 'deny', 'deny'],
  ['git clean -fdx', 'deny', 'deny'],
  ['git commit -m x', 'deny', 'deny'],
  ['cp kept.txt other.txt', 'deny', 'deny'],
  ['sed -i s/a/b/ kept.txt', 'deny', 'deny'],
  ['npm test', 'deny', 'none'],
  ['python3 -c "open(1)"', 'deny', 'none'],
  ['$(cat script)', 'deny', 'none'],
  ['echo x > /tmp/log', 'deny', 'none'],
  ['sh -c "rm kept.txt"', 'deny', 'deny'],
  ['true && { false || touch new.txt; }', 'deny', 'deny'],
  ['npm test & tee kept.txt', 'deny', 'deny'],
])('who may run and read: %s → %s, within walls %s', (command, outside, inside) => {
  const call = { tool: 'Bash', input: { command } }
  const tester = able('can_read_files', 'can_execute_commands')
  const verdict = (state: State) => decide(tester, state, call, look(call, state)).verdict
  expect([verdict(open), verdict(walled)]).toEqual([outside, inside])
})

test.each([
  ['touch new.txt', 'none'],
  ['touch kept.txt', 'deny capabilities can_write_files'],
  ['cd sub && touch kept.txt', 'deny capabilities can_write_files'],
  ['cd "$dir" && touch new.txt', 'deny capabilities can_write_files'],
  ['cd - && touch new.txt', 'deny capabilities can_write_files'],
  ['cd "$dir" && touch /w/tree/new.txt', 'none'],
])('where a line goes that nobody knows, a file may be there: %s → %s', (command, expected) => {
  const maker = able('can_read_files', 'can_execute_commands', 'can_create_files')
  expect(said(maker, open, JSON.stringify({ tool: 'Bash', input: { command } }))).toBe(expected)
})

test('who may run but not read runs nothing: nobody knows what a command reads', () => {
  expect(said(able('can_execute_commands'), walled, 'Bash(ls)')).toBe('deny capabilities can_read_files')
})

test.each([
  ['Bash(true)', 'none'],
  ['Bash(git push)', 'none'],
  ['Bash(git commit -am x)', 'none'],
  ['Bash(git checkout -b work)', 'none'],
  ['Bash(git clean -fdx)', 'none'],
  ['Bash(cd packages/a && git commit -m x && git push)', 'none'],
  ['Bash(cd "$dir" && git commit -m x)', 'none'],
  ['Bash(git -C packages/a commit -m x)', 'none'],
  ['Bash(rm -rf build)', 'none'],
  ['Bash(cat .git/config)', 'none'],
  ['Bash(ls .git/hooks)', 'none'],
  ['Bash(git config --get user.name)', 'none'],
  ['Bash(git config user.name me)', 'none'],
  ['Bash(git commit -m "about .git/hooks")', 'none'],
  ['Bash(echo x > "$out")', 'none'],
  ['Bash(npm run build)', 'none'],
  ['Bash(node /home/me/.agency/worktrees/a/x.js)', "deny own agency's root"],
  ['Write(.claude/agents/x.md)', 'none'],
  ['Write(.github/hooks/x)', 'none'],
  ['Write(src/.git-hooks.ts)', 'none'],
  ['Write(src/settings.json)', 'none'],
  ['Write(/home/me/.agency/sessions/a/tmp/x)', 'none'],
  ['Write(/home/me/.agency/sessions/a/.claude/plans/x.md)', 'none'],
  ['Write(/home/me/.agency/sessions/a/.claude/projects/-w-tree/memory/x.md)', 'none'],

  ['Write(.git/hooks/pre-commit)', 'deny own .git/hooks'],
  ['Write(sub/.git/hooks/pre-commit)', 'deny own .git/hooks'],
  ['Write(.git/modules/x/hooks/post-checkout)', 'deny own .git/hooks'],
  ['Write(.GIT/HOOKS/pre-commit)', 'deny own .git/hooks'],
  ['Write(src/../.git/./hooks//pre-commit)', 'deny own .git/hooks'],
  ['Edit(.git/config)', 'deny own .git/config'],
  ['Edit(.git/worktrees/a/config.worktree)', 'deny own .git/config'],
  ['Write(.git/commondir)', 'deny own .git/commondir'],
  ['Write(.git/info/attributes)', 'deny own .git/info/attributes'],
  ['Write(.git)', 'deny own .git'],
  ['Write(.mcp.json)', 'deny own .mcp.json'],
  ['Write(.claude/settings.json)', 'deny own .claude/settings.json'],
  ['Write(.claude/settings.local.json)', 'deny own .claude/settings.json'],
  ['Write(.claude/hooks/guard.sh)', 'deny own .claude/hooks'],
  ['Write(~/.claude.json)', 'deny own .claude.json'],
  ['Write(~/.claude/settings.json)', 'deny own .claude/settings.json'],
  ['Write(/etc/claude-code/managed-settings.json)', 'deny own /etc/claude-code'],
  ['Write(~/.agency/roles/r.yaml)', "deny own agency's root"],
  ['Write(~/.agency/sessions/a/role.json)', "deny own agency's root"],
  ['Write(~/.agency/sessions/a/.claude/settings.json)', "deny own agency's root"],
  ['Write(~/.agency/sessions/b/tmp/x)', "deny own agency's root"],
  ['Write(out)', "deny own agency's root"],
  ['NotebookEdit(.git/hooks/x.ipynb)', 'deny own .git/hooks'],

  ['Bash(echo x > .git/hooks/pre-commit)', 'deny own .git/hooks'],
  ['Bash(cd .git && echo x > config)', 'deny own .git/config'],
  ['Bash(cd .git/refs; cd ..; echo x > config)', 'deny own .git/config'],
  ['Bash(cd .git; cd hooks; tee pre-push)', 'deny own .git/hooks'],
  ['Bash(pushd .git; tee hooks/pre-push)', 'deny own .git/hooks'],
  ['Bash(cp -r evil .git)', 'deny own .git'],
  ['Bash(git add . && cp -r evil .git)', 'deny own .git'],
  ['Bash(cd sub && git add . && cp -r evil .git)', 'deny own .git'],
  ['Bash(cd .git && python3 x.py config)', 'deny own .git/config'],
  ['Bash(cd .git; cd hooks; python3 x.py pre-push)', 'deny own .git/hooks'],
  ['Bash(cp evil/.mcp.json .)', 'deny own .mcp.json'],
  ['Bash(cp -t . evil/.mcp.json)', 'deny own .mcp.json'],
  ['Bash(install --target-directory=. evil/.mcp.json)', 'deny own .mcp.json'],
  ['Bash(mv evil/hooks .git)', 'deny own .git'],
  ['Bash(ln -s /tmp/x .git/hooks)', 'deny own .git/hooks'],
  ['Bash(rm -rf .git)', 'deny own .git'],
  ['Bash(rm -rf ~)', "deny own agency's root"],
  ['Bash(rm -rf ~/.agency/roles)', "deny own agency's root"],
  ['Bash(rm -rf .)', 'deny own .git'],
  ['Bash(rm .git/hooks/*)', 'deny own .git/hooks'],
  ['Bash(for f in .git/hook*; do tee "$f/x"; done)', 'deny own .git'],
  ['Bash(tee .git/hooks/"$name")', 'deny own .git/hooks'],
  ['Bash(tee "$dir/.mcp.json")', 'deny own .mcp.json'],
  ['Bash(cd "$dir" && tee .mcp.json)', 'deny own .mcp.json'],
  ['Bash(sh -c "tee .mcp.json")', 'deny own .mcp.json'],
  ["Bash(python3 -c \"open('.git/hooks/x', 'w')\")", 'deny own .git/hooks'],
  ['Bash(node write.js .git/config)', 'deny own .git/config'],
  ['Bash(rsync -a evil/ .git/)', 'deny own .git'],
  ['Bash(git config core.hooksPath /tmp/x)', 'deny own .git/config'],
  ['Bash(git -C . config alias.x !sh)', 'deny own .git/config'],
  ['Bash(git config "$key" x)', 'deny own .git/config'],
  ['Bash(git config --edit)', 'deny own .git/config'],
  ['Bash(echo x > ~/.agency/token)', "deny own agency's root"],
  ['Monitor(tee .mcp.json)', 'deny own .mcp.json'],

  ['Read(~/.agency/token)', 'deny own a secret of agency'],
  ['Read(token-link)', 'deny own a secret of agency'],
  ['Read(~/.agency/credentials/claude-token)', 'deny own a secret of agency'],
  ['Read(~/.agency/sessions/b/settings.json)', 'deny own a secret of agency'],
  ['Read(~/.agency/sessions/a/messages/m1.md)', 'none'],
  ['Read(~/.agency/roles/coder.yaml)', 'none'],
  ['Bash(cat ~/.agency/token)', 'deny own a secret of agency'],
  ['Bash(curl --unix-socket ~/.agency/sockets/host.sock http://h/state)', 'deny own a socket of agency'],
  ['Bash(socat - UNIX-CONNECT:/home/me/.agency/sockets/host.sock)', "deny own agency's root"],
  ['Bash(grep -r x ~/.agency/credentials)', 'deny own a secret of agency'],
  ['Bash(cat token)', 'none'],

  ['Bash(agency list)', 'none'],
  ['Bash(agency send b hello)', 'none'],
  ['Bash(agency send b approve)', 'none'],
  ['Bash(agency approve ap-1)', 'deny own what answers for a person'],
  ['Bash(env -u AGENCY_ACTOR agency approval list)', 'deny own what answers for a person'],
  ['Bash(./bin/agency role switch a actor)', 'deny own what answers for a person'],
  ['Bash(agency budget raise a --turns +9)', 'deny own what answers for a person'],
  ['Bash(agency budget show)', 'none'],
  ['Bash(roz decide COMPLETE)', 'deny own what answers for a person'],
  ['Bash(roz clean --all)', 'deny own what answers for a person'],
  ['Bash(agency --json review clean)', 'deny own what answers for a person'],
  ['Bash(env -u AGENCY_ACTOR agency review decide s1 COMPLETE ok)', 'deny own what answers for a person'],
  ["Bash(bash -lc 'cd / && roz decide s1 COMPLETE ok')", 'deny own what answers for a person'],
  ['Bash(echo $(agency review decide s1 COMPLETE ok))', 'deny own what answers for a person'],
  ['Bash(roz list)', 'none'],
  ['Bash(agency review context s1)', 'none'],
  ['Bash(agency "$verb" ap-1)', 'deny own what answers for a person'],
  ['Bash(echo ap-1 | xargs agency)', 'deny own what answers for a person'],
])('who may do everything: %s → %s', (call, expected) => {
  expect(said(role(), open, call)).toBe(expected)
})

test('in a worktree of the root the tree is its own, and the rest is not', () => {
  const tree = '/home/me/.agency/worktrees/a'
  const state: State = { place: { ...place, cwd: tree, tree }, sandboxed: false }
  expect(said(role(), state, 'Write(src/x.ts)')).toBe('none')
  expect(said(role(), state, `Bash(node ${tree}/x.js)`)).toBe('none')
  expect(said(role(), state, 'Write(.git/config)')).toBe('deny own .git/config')
  expect(said(role(), state, 'Write(../b/x.ts)')).toBe("deny own agency's root")
  expect(said(role(), state, 'Write(../../token)')).toBe("deny own agency's root")
})

test.each([
  ['deny', 'Bash(git push)', 'deny rules Bash(git push *)'],
  ['deny', 'Bash(/usr/bin/git -C . push)', 'deny rules Bash(git push *)'],
  ['deny', "Bash(sh -c 'git push')", 'deny rules Bash(git push *)'],
  ['deny', 'Bash($tool push)', 'deny rules Bash(git push *)'],
  ['deny', 'Bash(git pull)', 'allow rules Bash'],
  ['deny', 'Read(.env)', 'deny rules Read(.env)'],
  ['deny', 'Read(secret-link)', 'deny rules Read(.env)'],
  ['deny', 'Read(kept.txt)', 'none'],
  ['deny', 'Write(docs/x.md)', 'allow rules Write(docs/**)'],
  ['deny', 'Write(x.md)', 'none'],
])('rules: %s %s → %s', (_, call, expected) => {
  const permissions = { allow: ['Bash', 'Write(docs/**)'], deny: ['Bash(git push *)', 'Read(.env)'] }
  expect(said(role({ permissions }), open, call)).toBe(expected)
})

test.each([
  ['make test', 'allow rules Bash(make *)'],
  ['make test && git log', 'allow rules Bash(make *), Bash(git log)'],
  ['make test; rm x', 'none'],
  ['make "$(rm x)"', 'none'],
  ['BASH_ENV=x make test', 'none'],
  ['make $target', 'none'],
  ['cat list | xargs make', 'none'],
  ["make 'a b' && git log", 'allow rules Bash(make *), Bash(git log)'],
])('what opens a door must fit all of a line: %s → %s', (command, expected) => {
  const permissions = { allow: ['Bash(make *)', 'Bash(git log)'] }
  const call = { tool: 'Bash', input: { command } }
  const { verdict, by } = decide(role({ permissions }), open, call, look(call, open))
  expect(verdict === 'none' ? 'none' : [verdict, by.layer, by.rule].join(' ')).toBe(expected)
})

test('an allow rule wins over nothing', () => {
  const permissions = { allow: ['Bash', 'Write', 'Edit', 'mcp__x__y'] }
  const planner = { ...builtin('planner'), permissions: role({ permissions }).permissions }
  for (const call of ['Bash(ls)', 'Write(new.txt)', 'Edit(kept.txt)', 'mcp__x__y'])
    expect(said(planner, open, call)).toMatch(/^deny tools/)
})

test.each([
  ['Agent(planner)', 'none'],
  ['Agent(Actor)', 'none'],
  ['Task(actor)', 'none'],
  ['Agent(tester)', 'deny tools can_delegate_to_roles'],
  ['Agent', 'deny tools can_delegate_to_roles'],
  ['Agent(toString)', 'deny tools can_delegate_to_roles'],
])('commander: %s → %s', (call, expected) => {
  expect(said(builtin('commander'), open, call)).toBe(expected)
})

test('a server’s tool that writes is kept from what is not its own, one that reads is not', () => {
  const call = { tool: 'mcp__files__put', input: { path: '/w/tree/.mcp.json', text: 'about .mcp.json' } }
  const verdict = (needs: Partial<RoleFile>) => decide(role(needs), open, call, {}).verdict
  expect(verdict({})).toBe('deny')
  expect(verdict({ tools: { mcp__files: ['can_write_files'] } })).toBe('deny')
  expect(verdict({ tools: { mcp__files: ['can_read_files'] } })).toBe('none')
})

test('what could not be looked at is taken for the worst', () => {
  const call = callOf('Write(new.txt)')
  expect(decide(role(), open, call, {}).by.layer).toBe('own')
  const { opinions } = decide(able('can_read_files', 'can_create_files'), open, call, {})
  expect(opinions.find(({ layer }) => layer === 'capabilities')).toMatchObject({ verdict: 'deny' })
})

test.each([{ command: 7 }, {}, { command: null }])(
  'a shell call without a command is refused where it could matter',
  (input) => {
    const call = { tool: 'Bash', input }
    expect(decide(able('can_read_files', 'can_execute_commands'), open, call, {}).verdict).toBe('deny')
    expect(decide(role(), open, call, {}).verdict).toBe('none')
  },
)

test('every layer speaks, and of several the first of the strictest decides', () => {
  const call = callOf('Bash(ls)')
  const { opinions } = decide(role(), open, call, {})
  expect(opinions.map(({ layer }) => layer)).toEqual([
    'tools',
    'own',
    'capabilities',
    'rules',
    'gate',
    'budget',
    'sandbox',
  ])
  const budget: Opinion = { layer: 'budget', verdict: 'deny', rule: 'turns', reason: 'its turns are used up' }
  expect(decide(role(), { ...open, budget }, call, {}).by).toBe(budget)
  const denials = (['own', 'rules'] as const).map(
    (layer): Opinion => ({ layer, verdict: 'deny', reason: 'no' }),
  )
  expect(strictest([...opinions, ...denials])).toBe(denials[0])
  expect(strictest([])).toBeUndefined()
})

const tools = fc.constantFrom('Bash', 'Write', 'Edit', 'Read', 'Agent', 'mcp__x__y', 'Other')
const texts = fc.constantFrom(
  'kept.txt',
  'new.txt',
  'rm kept.txt',
  'echo x > new.txt',
  '.git/config',
  'npm test',
  '',
)

test('a role with fewer capabilities is never allowed more', () => {
  const rank = ['none', 'allow', 'ask', 'deny']
  const capabilities = fc.record<Capabilities>({
    can_read_files: fc.boolean(),
    can_write_files: fc.boolean(),
    can_create_files: fc.boolean(),
    can_delete_files: fc.boolean(),
    can_execute_commands: fc.boolean(),
    can_delegate_to_roles: fc.constantFrom([], ['actor']),
  })
  fc.assert(
    fc.property(
      capabilities,
      fc.constantFrom(...abilities),
      tools,
      texts,
      fc.boolean(),
      (may, less, tool, text, walls) => {
        const state = walls ? walled : open
        const call = { tool, input: { command: text, file_path: text, subagent_type: 'actor' } }
        const verdict = (given: Capabilities) =>
          rank.indexOf(decide({ ...role(), capabilities: given }, state, call, look(call, state)).verdict)
        expect(verdict({ ...may, [less]: false })).toBeGreaterThanOrEqual(verdict(may))
      },
    ),
  )
  expect(
    rank.indexOf(decide({ ...role(), capabilities: nothing }, open, callOf('Read(x)'), {}).verdict),
  ).toBe(3)
  expect(everything.can_read_files).toBe(true)
})

test('no input makes it throw', () => {
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.anything()), tools, (command, more, tool) => {
      const call = { tool, input: { ...more, command, file_path: command } }
      expect(['none', 'allow', 'ask', 'deny']).toContain(decide(role(), open, call, look(call, open)).verdict)
    }),
  )
})

test('a long line is decided in bounded time, however many files it names', () => {
  const files = Array.from({ length: 5_000 }, (_, index) => `file-${index}`).join(' ')
  for (const command of [`cp ${files} into`, `rm ${files}`, `xargs rm ${files}`, `python3 ${files}`]) {
    const call = { tool: 'Bash', input: { command } }
    const began = performance.now()
    decide(role({ permissions: { deny: ['Bash(git push *)'] } }), open, call, {})
    // Some hundred times what it takes: only what grows faster than the line is caught.
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(pathsOf(call, place).length).toBeLessThanOrEqual(500)
  }
})
