// The roles that come with agency. A file of the same name in a root takes their place.
import type { RoleFile } from '../schema.ts'
import { actor } from './actor/schema.ts'
import { commander } from './commander/schema.ts'
import { designer } from './designer/schema.ts'
import { planner } from './planner/schema.ts'
import { reviewer } from './reviewer/schema.ts'
import { tester } from './tester/schema.ts'

export const builtinRoles: readonly RoleFile[] = [planner, actor, commander, designer, reviewer, tester]

/** What an agent is when nothing says otherwise. */
export const defaultRole = 'actor'
