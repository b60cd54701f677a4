// One body, two programs: the real CLI and its scripted stand-in must both pass it. That keeps the stand-in honest.
import { test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { makeRig, type Program, type Rig, type Scripts } from './rig.ts'

export type Body = (
  make: (scripts: Scripts, more?: Partial<Scenario>) => Promise<Rig>,
  program: Program,
) => Promise<void>

const one = (program: Program, name: string, body: Body) =>
  test(`${program}: ${name}`, () => body((scripts, more) => makeRig(program, scripts, more), program))

export const twin = (name: string, body: Body) => {
  one('claude', name, body)
  one('scripted', name, body)
}

/** A case that only the real CLI can have. `why` says what the stand-in lacks for it. */
export const real = (name: string, why: string, body: Body) => one('claude', `${name} (${why})`, body)
