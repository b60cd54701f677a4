// What a role may not do is not done, whatever the agent tries: the same cases for the stand-in and the real CLI.
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Call, Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { git } from '../kit/repository.ts'
import { agent, bash, write } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

/** A project that would have everything allowed and nothing asked. */
const hostile = {
  disableAllHooks: true,
  permissions: { allow: ['Bash', 'Write', 'Edit', 'Agent'], defaultMode: 'acceptEdits' },
}
const willing = 'permissions:\n  allow: [Bash, Write, Edit, Agent]\n'
const may = (words: string): string => `capabilities: {${words}}\n`

const one = (call: Call): { calls: Call[] } => ({ calls: [call] })
const read = (path: string): Call => ({ name: 'Read', input: { file_path: path } })
const edit = (path: string): Call => ({
  name: 'Edit',
  input: { file_path: path, old_string: 'kept', new_string: 'changed' },
})
/** The CLI lets nobody change what it has not read. */
const rewrite = (path: string): Call[] => [read(path), write(path, 'changed\n')]

/** One call after the other, then a word: a refused call ends nothing. */
const trying = (
  calls: (cwd: string) => readonly Call[],
  inside: (cwd: string) => readonly Call[] = () => [],
) => {
  const scenario: { scripts: Scenario['scripts'][number][] } = { scripts: [] }
  const fill = (cwd: string): void => {
    scenario.scripts.push(
      { match: 'look around', subagent: true, replies: [...inside(cwd).map(one), { text: 'I looked.' }] },
      { match: 'go', subagent: false, replies: [...calls(cwd).map(one), { text: 'Done.' }] },
      { replies: [{ text: 'Heard.', times: 0 }] },
    )
  }
  return { scenario, fill }
}

type Trial = ReturnType<typeof trying>

const staged = async (make: Make, { scenario, fill }: Trial, role: string): Promise<Stage> => {
  // Where it works is known only once it is staged, and what is said there names it.
  const at = await make(scenario as Scenario, role)
  fill(at.cwd)
  if (at.env.AGENCY_SCENARIO !== undefined) writeFileSync(at.env.AGENCY_SCENARIO, JSON.stringify(scenario))
  mkdirSync(join(at.cwd, '.claude'))
  writeFileSync(join(at.cwd, '.claude/settings.json'), JSON.stringify(hostile))
  writeFileSync(join(at.cwd, 'kept.txt'), 'kept\n')
  return at
}

const played = async (at: Stage): Promise<void> => {
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  await at.say('a', 'go')
  // More than one where the end of a subagent begins another.
  await expect.poll(async () => (await at.agent('a'))?.turns ?? 0, patience).toBeGreaterThan(0)
  await at.until('a', { state: 'idle' })
}

const decided = async (at: Stage): Promise<readonly string[]> => {
  const events = await at.journal('session.decided')
  return events.map(({ data }) => [data.tool, data.verdict, data.layer, data.rule].filter(Boolean).join(' '))
}

const unchanged = (at: Stage): void => {
  expect(readFileSync(join(at.cwd, 'kept.txt'), 'utf8')).toBe('kept\n')
  expect(JSON.parse(readFileSync(join(at.cwd, '.claude/settings.json'), 'utf8'))).toEqual(hostile)
}

const everyWay = (cwd: string): Call[] => [
  write(join(cwd, 'new.txt')),
  read(join(cwd, 'kept.txt')),
  edit(join(cwd, 'kept.txt')),
  bash('echo x > new.txt'),
  bash(`python3 -c 'open("new.txt", "w")'`),
  agent('look around', { run_in_background: false }),
]

export const decideCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'who may only read writes nothing: by Write, Edit, a shell, a program in it or a subagent': async (
    make,
  ) => {
    const trial = trying(everyWay, (cwd) => [write(join(cwd, 'new.txt')), bash('echo x > new.txt')])
    const at = await staged(make, trial, `${willing}${may('can_read_files: true')}`)
    await played(at)
    unchanged(at)
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(false)
  },

  'who may create makes new files and changes none, and neither does its subagent': async (make) => {
    const link = 'link.txt'
    const trial = trying(
      (cwd) => [
        write(join(cwd, 'new.txt')),
        ...rewrite(join(cwd, 'kept.txt')),
        ...rewrite(join(cwd, link)),
        agent('look around', { run_in_background: false }),
        agent('look around', { run_in_background: false, subagent_type: 'Explore' }),
      ],
      (cwd) => [...rewrite(join(cwd, 'kept.txt')), write(join(cwd, 'inside.txt'))],
    )
    const at = await staged(
      make,
      trial,
      `${willing}${may('can_read_files: true, can_create_files: true, can_delegate_to_roles: [general-purpose]')}`,
    )
    symlinkSync('kept.txt', join(at.cwd, link))
    await played(at)
    // At a terminal a subagent may work on behind the turn.
    await expect.poll(() => existsSync(join(at.cwd, 'inside.txt')), patience).toBe(true)
    unchanged(at)
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(true)
    expect([...(await decided(at))].sort()).toEqual([
      'Agent allow rules Agent',
      'Agent deny tools can_delegate_to_roles',
      'Write allow rules Write',
      'Write allow rules Write',
      'Write deny capabilities can_write_files',
      'Write deny capabilities can_write_files',
      'Write deny capabilities can_write_files',
    ])
    await expect.poll(() => at.journal('session.refused'), patience).toHaveLength(4)
  },

  'a denied command stays denied however it is spelled, and what runs outside is nobody’s to write': async (
    make,
  ) => {
    const trial = trying((cwd) => [
      bash('git -C . tag v1'),
      bash('/usr/bin/git tag v1'),
      bash("sh -c 'git tag v1'"),
      write(join(cwd, '.git/hooks/pre-commit')),
      write(join(cwd, 'hooks/pre-commit')),
      bash('cd .git && echo x > config'),
      ...rewrite(join(cwd, '.claude/settings.json')),
      write(join(cwd, '.mcp.json'), '{}'),
      bash('touch ran'),
    ])
    const role = 'permissions:\n  allow: [Bash, Write, Edit]\n  deny: ["Bash(git tag *)"]\n'
    const at = await staged(make, trial, role)
    git(at.cwd, 'init', '--quiet')
    git(at.cwd, 'commit', '--quiet', '--allow-empty', '-m', 'Begin')
    symlinkSync('.git/hooks', join(at.cwd, 'hooks'))
    const config = readFileSync(join(at.cwd, '.git/config'), 'utf8')
    await played(at)
    unchanged(at)
    expect(git(at.cwd, 'tag')).toBe('')
    expect(readFileSync(join(at.cwd, '.git/config'), 'utf8')).toBe(config)
    expect(
      ['.git/hooks/pre-commit', '.mcp.json', 'ran'].map((name) => existsSync(join(at.cwd, name))),
    ).toEqual([false, false, true])
    const rules = await decided(at)
    expect(rules.slice(0, 3)).toEqual(Array(3).fill('Bash deny rules Bash(git tag *)'))
    expect(rules.slice(3, -1).map((text) => text.split(' ').slice(1, 3).join(' '))).toEqual(
      Array(5).fill('deny own'),
    )
    expect(rules.at(-1)).toBe('Bash allow rules Bash')
  },

  'the host killed in a call: the next one waits for another host, which decides as the first did': async (
    make,
  ) => {
    const trial = trying((cwd) => [
      bash('touch began; while [ ! -e go ]; do sleep 0.1; done'),
      ...rewrite(join(cwd, 'kept.txt')),
      bash('touch ran'),
    ])
    const role = `permissions:\n  allow: [Bash, Write]\n  deny: ["Write(kept.txt)"]\n`
    const at = await staged(make, trial, role)
    expect((await at.run('a')).code).toBe(0)
    await at.say('a', 'go')
    await expect.poll(() => existsSync(join(at.cwd, 'began')), patience).toBe(true)
    await at.killHost()
    // What is edited meanwhile counts from the next launch.
    const file = join(at.root, 'roles/s.yaml')
    writeFileSync(
      `${file}.new`,
      readFileSync(file, 'utf8').replace('deny:', 'allow:').replace('  allow: [', '  deny: ['),
    )
    renameSync(`${file}.new`, `${file}`)
    writeFileSync(join(at.cwd, 'go'), '')
    await at.agency(['start'])
    await at.until('a', { state: 'idle', turns: 1 })
    unchanged(at)
    expect(existsSync(join(at.cwd, 'ran'))).toBe(true)
    expect((await decided(at)).at(-2)).toBe('Write deny rules Write(kept.txt)')
  },

  'a headless agent is held by the same rules': async (make) => {
    const trial = trying(
      (cwd) => [...everyWay(cwd), bash('true')],
      (cwd) => [write(join(cwd, 'new.txt')), bash('echo x > new.txt')],
    )
    const at = await staged(make, trial, `${willing}${may('can_read_files: true, can_create_files: true')}`)
    mkdirSync(join(at.root, 'agents/ag-01'), { recursive: true })
    writeFileSync(
      join(at.root, 'agents/ag-01/config.yaml'),
      `role: s\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n`,
    )
    expect((await at.agency(['start'])).code).toBe(0)
    const got = await ask(at, 'POST', '/agents/ag-01/task', { prompt: 'go' })
    const id = got.body.task_id
    await expect
      .poll(async () => (await ask(at, 'GET', `/agents/ag-01/task/${id}`)).body.state, patience)
      .toMatch(/completed|failed/)
    unchanged(at)
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(true)
    expect(await decided(at)).toEqual(['Write allow rules Write'])
  },
}
