// The programs of this package that run beside the host.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from '../base/error/fail.ts'
import { inQuotes } from '../base/shell/rules.ts'
import { keeperProgram, type Program } from '../keeper/start.ts'

export type Programs = {
  readonly keeper: Program
  /** Shell words; the event's name is appended. */
  readonly hook: string
  readonly scripted: string
  /** For walls: who opens their doors, and what of this package is seen inside. */
  readonly walls: { readonly node: string; readonly forward: string; readonly more: readonly string[] }
}

/** Looked for upwards: this file is below `src` when tests run it, and in a bundle otherwise. */
export const packageRoot = (): string => {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, 'dist/keeper.js'))) return at
    if (at === dirname(at))
      return fail('internal', { what: 'dist/keeper.js is missing; agency is not built' })
  }
}

export const programs = (): Programs => {
  const root = packageRoot()
  return {
    keeper: keeperProgram(join(root, 'dist/keeper.js')),
    hook: `${inQuotes(process.execPath)} ${inQuotes(join(root, 'dist/hook.cjs'))}`,
    scripted: join(root, 'bin/scripted'),
    walls: {
      node: process.execPath,
      forward: join(root, 'dist/forward.cjs'),
      more: ['dist/hook.cjs', 'dist/scripted.js', 'package.json'].map((name) => join(root, name)),
    },
  }
}
