// An order with nothing special in it, for tests that change one thing.
import type { Order } from '../../src/driver/schema.ts'

export const order: Order = {
  terminal: true,
  start: { kind: 'new', id: '00000000-0000-4000-8000-000000000001' },
  cwd: '/home/user/project',
  permissionMode: 'default',
  agent: { name: 'coder-1', role: 'coder' },
  paths: {
    root: '/home/user/.agency',
    session: '/home/user/.agency/sessions/coder-1',
    config: '/home/user/.agency/sessions/coder-1/.claude',
    tmp: '/home/user/.agency/sessions/coder-1/tmp',
    settings: '/home/user/.agency/sessions/coder-1/settings.json',
  },
  keeper: {
    hookUrl: 'http://127.0.0.1:4000/hook',
    telemetryUrl: 'http://127.0.0.1:4000',
    hookToken: 'hook-secret',
    telemetryToken: 'telemetry-secret',
    hookCommand: '/usr/bin/node /opt/agency/hook.cjs',
  },
  holdSeconds: 3600,
  telemetry: true,
  retries: 3,
  asRoot: false,
  environment: { caller: { PATH: '/usr/bin', HOME: '/home/user' }, inherit: 'all' },
}
