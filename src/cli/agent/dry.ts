// `agency run --dry-run`: what would be launched, said and not done.
import { AgencyError } from '../../base/error/fail.ts'
import { clip, oneLine } from '../../base/text/rules.ts'
import { layout } from '../../config/layout/rules.ts'
import { wallsInWords } from '../../sandbox/words/rules.ts'
import { type ShownPlan, shownPlan } from '../../session/plan/shown/rules.ts'
import { prepare } from '../../session/prepare.ts'
import { quoted } from '../../worktree/text/rules.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call } from '../io.ts'
import { table } from '../output/rules.ts'
import { checkGround } from './ground.ts'
import { askOf, directoryOf, type Wish } from './wish.ts'

/** What would be started; undefined where Claude Code is missing, which a look must not fail for. */
const wouldStart = async (call: Call, wish: Wish) => {
  try {
    return shownPlan((await prepare(askOf(call, wish))).plan())
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code !== 'claude_missing') throw error
    call.warn(error.message)
    return undefined
  }
}

/** Instructions are arguments too: each is shown by its beginning. `--json` has all of it. */
const argumentLength = 60
const launchRows = ({ argv, files, env, sandbox }: ShownPlan): string[][] => [
  ...(sandbox === undefined ? [] : [['walls', wallsInWords(sandbox.tree, sandbox.settings)]]),
  ['runs', argv.map((word) => quoted(clip(oneLine(word), argumentLength))).join(' ')],
  ...(files.length === 0 ? [] : [['writes', files.map(({ path }) => path).join(', ')]]),
  ['sets', Object.keys(env).sort().join(', ') || '-'],
]

export const dryRun = async (call: Call, wish: Wish): Promise<Outcome> => {
  const { root, role, pod } = wish
  const launch = await wouldStart(call, wish)
  const name = launch?.agent ?? wish.name ?? ''
  const directory = directoryOf(call, wish)
  await checkGround({ root, agent: name, directory, role: role?.role })
  const worktree = role?.role.worktree.enabled ? `${layout(root).worktrees}/${name}` : undefined
  const overrides = role?.overrides ?? {}
  const lineage = (role?.lineage ?? []).map((each) => `${each.name} (${each.file})`)
  const plan = {
    name,
    role: role?.role.name,
    lineage,
    pod: pod ?? role?.role.pod,
    directory,
    worktree,
    overrides,
    args: call.rest,
    launch,
  }
  const lines = table([
    ['agent', name],
    ['role', lineage.join(' ← ') || '-'],
    ['pod', plan.pod ?? '-'],
    ['works in', worktree === undefined ? directory : `${worktree} (a worktree of ${directory})`],
    ...Object.entries(overrides).map(([key, value]) => ['override', `${key}=${value}`]),
    ...(call.rest.length === 0 ? [] : [['arguments', call.rest.join(' ')]]),
    ...(launch === undefined ? [] : launchRows(launch)),
  ])
  return { data: { plan }, lines: [...lines, 'Nothing was started (--dry-run).'] }
}
