// Every kind of file that people write.
import { agentKind } from '../agent/kind.ts'
import type { Kind } from '../config/validate/schema.ts'
import { configKind } from '../config/validate.ts'
import { podKind } from '../pod/kind.ts'
import { roleKind } from '../role/kind.ts'
import { directorKind } from './kind.ts'

export const kinds: readonly Kind[] = [configKind, roleKind, podKind, agentKind, directorKind]
