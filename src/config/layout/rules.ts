// Where everything of a root lies. No other file joins a path below the root by hand.

export const layout = (root: string) => {
  const at = (path: string): string => `${root.replace(/\/+$/, '')}/${path}`
  return {
    root,
    marker: at('.agency-dir.txt'),
    h2Marker: at('.h2-dir.txt'),
    config: at('config.yaml'),
    schemas: at('schemas'),
    token: at('token'),
    host: at('host.json'),
    lock: at('host.lock'),
    store: at('agency.db'),
    log: at('agency.log'),
    env: at('.env'),
    gitIdentity: at('git-config'),
    roles: at('roles'),
    podRoles: at('pods/roles'),
    podTemplates: at('pods/templates'),
    templates: at('templates'),
    agents: at('agents'),
    directors: at('directors'),
    sessions: at('sessions'),
    worktrees: at('worktrees'),
    work: at('work'),
    projects: at('projects'),
    sockets: at('sockets'),
    credentials: at('credentials'),
    view: at('view'),
    claudeConfig: at('claude-config/default'),
    history: at('history'),
    reviews: at('reviews'),
    snapshots: at('snapshots'),
    gateStore: at('review.db'),
    agentConfig: (name: string): string => at(`agents/${name}/config.yaml`),
    directorConfig: (name: string): string => at(`directors/${name}/config.yaml`),
    agentLog: (name: string): string => at(`agents/${name}/agent.log`),
    directorLog: (name: string): string => at(`directors/${name}/director.log`),
    session: (agent: string): string => at(`sessions/${agent}`),
    credential: (name: string): string => at(`credentials/${name}`),
  }
}

export type Layout = ReturnType<typeof layout>
