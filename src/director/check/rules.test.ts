import { expect, test } from 'vitest'
import { check } from '../../base/problem/rules.ts'
import { directorFile } from '../schema.ts'
import { checkDirector } from './rules.ts'

/** What is said of a file, by its schema or else by the check. */
const said = (file: object): string[] => {
  const checked = check(directorFile, file)
  if ('issues' in checked) return checked.issues.map((each) => each.message)
  return checkDirector(checked.value).map((each) =>
    each.meant === undefined ? each.message : `${each.message} [${each.meant}]`,
  )
}

const github = { type: 'github', name: 'g', port: 9100, repo: 'owner/repo' }
const entry = { name: 'j', cron: '0 2 * * *', prompt: 'p' }
const scheduler = (...schedule: object[]) => ({ type: 'scheduler', name: 's', port: 9101, schedule })

test.each<[object, string[]]>([
  [{}, ['type is missing']],
  [
    { type: 'githb' },
    ['type must be one of scheduler, github, gitlab, manager, claude, view, web, not "githb"'],
  ],
  [github, []],
  [{ ...github, repo: 'o/r;x' }, ['repo must be owner/name, such as octocat/hello-world']],
  [{ ...github, repo: 'o/..' }, ['repo must be owner/name, such as octocat/hello-world']],
  [{ ...github, repo: '-o/r' }, ['repo must be owner/name, such as octocat/hello-world']],
  [{ ...github, repo: undefined }, ['repo is missing']],
  [{ ...github, name: 'a b' }, [expect.stringContaining('name must be a name')]],
  [{ ...github, port: 80 }, [expect.stringContaining('port is 80')]],
  [{ ...github, poll_interval: '30' }, [expect.stringContaining('poll_interval must be a time')]],
  [{ ...github, settings: { max_review: 3 } }, ['unknown field settings.max_review']],
  [
    { ...github, settings: { branch_prefix: '-x' } },
    [expect.stringContaining('settings.branch_prefix must begin')],
  ],
  [
    { ...github, discovery: { method: 'port_scan', port_range: [9199, 9000] } },
    ['discovery.port_range must begin with the smaller port'],
  ],
  [
    { ...github, prompts: { work: 'Fix {{.Number}} {{.Titel}} {{.Foo}}' } },
    ['prompts.work: {{.Titel}} is not filled in [{{.Title}}]', 'prompts.work: {{.Foo}} is not filled in'],
  ],
  [{ type: 'gitlab', repo: 'group/sub/project' }, []],
  [{ type: 'gitlab', repo: 'project' }, ['repo must be group/project, groups may be nested']],
  [scheduler(entry), []],
  [
    scheduler({ ...entry, cron: '0 0 30 2 *' }),
    ['schedule[0].cron: "0 0 30 2 *" never happens: no month has that day'],
  ],
  [
    scheduler({ ...entry, cron: '0 0 * *' }),
    ['schedule[0].cron: a cron line has 5 fields (minute hour day month weekday), not 4'],
  ],
  [scheduler(entry, { ...entry, prompt: 'q' }), ['schedule[1].name: "j" is used twice']],
  [scheduler({ ...entry, prompt: ' ' }), ['schedule[0].prompt must not be empty']],
  [
    scheduler({ ...entry, timezone: 'Mars/Olympus' }),
    ['schedule[0].timezone must be a time zone, such as Europe/Berlin or UTC'],
  ],
  [
    scheduler({ ...entry, workdir: '/a', root_dir: '/b' }),
    ['schedule[0].workdir is an older word for root_dir: write only one of them'],
  ],
  [{ type: 'manager' }, []],
  [{ type: 'claude', claude: { model: 'opus' } }, []],
  [{ type: 'web', port: 8443, bind: '127.0.0.1', tls: { auto_generate: true } }, []],
  [{ type: 'web', bind: '0.0.0.0' }, ['bind is 0.0.0.0: everyone who reaches this machine reaches the page']],
  [{ type: 'view', bind: 'somewhere' }, ['bind must be an address, such as 127.0.0.1']],
  [{ type: 'view', tls: { cert: 'x' } }, ['tls needs both cert and key, or neither']],
])('%j', (file, messages) => {
  expect(said(file)).toEqual(messages)
})

test('what a file leaves out has its default', () => {
  expect(directorFile.parse({ type: 'github', repo: 'o/r' })).toMatchObject({
    log_level: 'info',
    poll_interval: '30s',
    discovery: { method: 'port_scan', port_range: [9000, 9199] },
    settings: { max_reviews: 3, branch_prefix: 'claude/issue-', require_approval: true },
  })
  const parsed = directorFile.parse({ ...scheduler(entry), missed: 'skip' })
  expect(parsed).toMatchObject({ missed: 'skip', overlap: 'skip' })
  expect('schedule' in parsed && parsed.schedule).toEqual([{ ...entry, enabled: true }])
})
