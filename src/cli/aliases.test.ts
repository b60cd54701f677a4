import { expect, test } from 'vitest'
import { adopt, expand } from './aliases.ts'

const cases: [string, string, string][] = [
  ['agency', 'list', 'list'],
  ['h2', 'run --role x', 'run --role x'],
  ['h2', 'hook collect', 'hook collect'],
  ['h2', 'start', 'start'],
  ['roz', 'list', 'review list'],
  ['roz', 'hook', 'hook'],
  ['roz', '--version', '--version'],
  ['ag-cli', 'status', 'status'],
  ['ag-director-cli', 'status', 'status'],
  ['ag-agent-claude', '--config F', 'serve agent --config F'],
  ['ag-view-web', '', 'serve view'],
  ['ag-director-web', '', 'serve view'],
  ['ag-director-github', '', 'serve github'],
  ['ag-director-gitlab', '', 'serve gitlab'],
  ['ag-director-scheduler', '', 'serve scheduler'],
  ['ag-tool-scheduler', '', 'serve scheduler'],
  ['ag-director-claude', '', 'serve manager'],
  ['constructor', 'list', 'list'],
]
test.each(cases)('%s %s = agency %s', (program, typed, expected) => {
  const argv = typed === '' ? [] : typed.split(' ')
  expect(expand(program, argv).join(' ')).toBe(expected)
})

test('H2_* counts where AGENCY_* is not set', () => {
  const adopted = adopt({ H2_ACTOR: 'a', H2_POD: 'p', AGENCY_POD: 'q', H2_DIR: '/d' })
  expect([adopted.AGENCY_ACTOR, adopted.AGENCY_POD, adopted.AGENCY_ROOT]).toEqual(['a', 'q', undefined])
})
