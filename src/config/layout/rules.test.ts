import { expect, test } from 'vitest'
import { layout } from './rules.ts'

test('everything of a root lies below it', () => {
  const { root, agentConfig, directorConfig, agentLog, directorLog, session, credential, ...paths } =
    layout('/r')
  expect(root).toBe('/r')
  expect(paths).toEqual({
    marker: '/r/.agency-dir.txt',
    h2Marker: '/r/.h2-dir.txt',
    config: '/r/config.yaml',
    schemas: '/r/schemas',
    token: '/r/token',
    host: '/r/host.json',
    lock: '/r/host.lock',
    store: '/r/agency.db',
    log: '/r/agency.log',
    env: '/r/.env',
    gitIdentity: '/r/git-config',
    reviews: '/r/reviews',
    snapshots: '/r/snapshots',
    gateStore: '/r/review.db',
    roles: '/r/roles',
    podRoles: '/r/pods/roles',
    podTemplates: '/r/pods/templates',
    templates: '/r/templates',
    agents: '/r/agents',
    directors: '/r/directors',
    sessions: '/r/sessions',
    worktrees: '/r/worktrees',
    work: '/r/work',
    projects: '/r/projects',
    sockets: '/r/sockets',
    credentials: '/r/credentials',
    view: '/r/view',
    claudeConfig: '/r/claude-config/default',
    history: '/r/history',
  })
  expect([
    agentConfig('a'),
    directorConfig('d'),
    agentLog('a'),
    directorLog('d'),
    session('a'),
    credential('c'),
  ]).toEqual([
    '/r/agents/a/config.yaml',
    '/r/directors/d/config.yaml',
    '/r/agents/a/agent.log',
    '/r/directors/d/director.log',
    '/r/sessions/a',
    '/r/credentials/c',
  ])
})

test('a slash at the end makes no other root', () => {
  expect(layout('/r/').config).toBe('/r/config.yaml')
})
