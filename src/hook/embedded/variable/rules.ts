// Environment variables of roz that win over config.yaml.
import type { Setting } from '../../../review/schema.ts'
import type { Env } from '../schema.ts'

const modes: readonly string[] = ['prompt', 'always', 'never'] satisfies readonly Setting['mode'][]

/** A value that is none is passed over: it could only make the gate weaker than what is written. */
const whole = (value: string | undefined, least: number, most: number): number | undefined => {
  const number = value !== undefined && /^\d{1,9}$/.test(value.trim()) ? Number(value) : Number.NaN
  return number >= least && number <= most ? number : undefined
}

export const withVariables = (setting: Setting, env: Env): Setting => {
  const mode = modes.includes(env.ROZ_REVIEW_MODE ?? '')
    ? (env.ROZ_REVIEW_MODE as Setting['mode'])
    : setting.mode
  const { max_blocks, cooldown_seconds } = setting.circuit_breaker
  return {
    ...setting,
    mode,
    circuit_breaker: {
      max_blocks: whole(env.ROZ_MAX_BLOCKS, 1, 1000) ?? max_blocks,
      cooldown_seconds: whole(env.ROZ_COOLDOWN_SECONDS, 0, 1e9) ?? cooldown_seconds,
    },
    trace: { max_events: whole(env.ROZ_MAX_EVENTS, 10, 1e9) ?? setting.trace.max_events },
  }
}
