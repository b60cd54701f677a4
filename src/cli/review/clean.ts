// `agency review clean`: forgets what is old, and says what it keeps and why.
import type { Handler } from '../io.ts'
import { ageOf } from './age/rules.ts'
import { type Cleaned, sourcesOf } from './source.ts'
import { typed } from './typed.ts'

type Swept = { readonly [K in keyof Cleaned]: readonly (Cleaned[K][number] & { readonly where: string })[] }

const linesOf = ({ removed, kept }: Swept, dryRun: boolean): string[] => {
  const young = kept.filter(({ why }) => why === 'young').length
  return [
    ...removed.map(({ session, state }) => `${dryRun ? 'would forget' : 'forgot'} ${session} (${state})`),
    ...kept
      .filter(({ why }) => why === 'open')
      .map(({ session, state }) => `kept ${session}: it is ${state}, and waits for a verdict`),
    ...(young === 0 ? [] : [`kept ${young} that changed lately`]),
    ...(removed.length + kept.length === 0 ? ['No reviews.'] : []),
    ...(dryRun ? ['Nothing was forgotten (--dry-run).'] : []),
  ]
}

export const run: Handler = async (call) => {
  const dryRun = call.flags.has('dry-run')
  const older = typed(call, 'before', '7d', 'an age such as 7d, 12h or 1h30m', ageOf)
  const body = {
    older_seconds: call.flags.has('all') ? 0 : Math.floor(older / 1000),
    ...(dryRun && { dry_run: true }),
  }
  const { all } = await sourcesOf(call)
  const swept: { [K in keyof Swept]: Swept[K][number][] } = { removed: [], kept: [] }
  for (const { clean, where } of all) {
    const { removed, kept } = await clean(body)
    swept.removed.push(...removed.map((each) => ({ ...each, where })))
    swept.kept.push(...kept.map((each) => ({ ...each, where })))
  }
  return { data: { dry_run: dryRun, ...swept }, lines: linesOf(swept, dryRun) }
}
