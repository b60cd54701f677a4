import { expect, test } from 'vitest'
import { settingOf } from '../../../review/setting/rules.ts'
import { withVariables } from './rules.ts'

const setting = settingOf({}, undefined)
const breaker = setting.circuit_breaker

test.each<[Record<string, string>, object]>([
  [{}, {}],
  [{ ROZ_MAX_BLOCKS: '5' }, { circuit_breaker: { ...breaker, max_blocks: 5 } }],
  [{ ROZ_COOLDOWN_SECONDS: '0' }, { circuit_breaker: { ...breaker, cooldown_seconds: 0 } }],
  [{ ROZ_REVIEW_MODE: 'always' }, { mode: 'always' }],
  [{ ROZ_MAX_EVENTS: '20' }, { trace: { max_events: 20 } }],
  [{ ROZ_MAX_BLOCKS: '0', ROZ_MAX_EVENTS: '3' }, {}],
  [{ ROZ_MAX_BLOCKS: '-1', ROZ_COOLDOWN_SECONDS: '1e3' }, {}],
  [{ ROZ_MAX_BLOCKS: '', ROZ_REVIEW_MODE: 'Never' }, {}],
])('%j changes %j', (env, changed) => expect(withVariables(setting, env)).toEqual({ ...setting, ...changed }))
