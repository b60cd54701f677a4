// How the role of a session is switched while it lives:
//
//   asked ──▶ narrowed ──idle, or confirmed──▶ stopping ──its process is gone──▶ relaunching ──first hook──▶ switched
//     │          │ ended by itself, or its keeper died (from anywhere)  │ did not start
//     ▼          └──────────────────────┬───────────────────────────────┘
//  unswitched                           ▼
//                          switched, from the next resume on
//
// Each step is on the disk before it is done, and each can be done again: a host that comes later asks `nextStep`.
import { oneLine } from '../../base/text/rules.ts'
import { fact } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import type { Call } from '../../permission/call/schema.ts'
import type { Decision, Judged } from '../../permission/decide/schema.ts'
import { verdicts } from '../../permission/decide/schema.ts'
import { needOf } from '../../permission/tool/rules.ts'
import type { Role } from '../../role/schema.ts'
import type { SessionFile } from '../plan/schema.ts'
import { stateOf } from '../rules.ts'
import type { Session } from '../schema.ts'
import type { Switching } from './schema.ts'

/** What is found of the keeper of a session. */
export type Kept = {
  readonly keeper: 'running' | 'ended' | 'gone'
  /** How often it has launched. */
  readonly launches: number
}

/** `withdraw`: nothing has changed yet, and whoever asked heard nothing. `later`: it holds from the next resume on. */
export type Step = 'withdraw' | 'stop' | 'relaunch' | 'done' | 'later'

export const nextStep = ({ stage, launches = 0 }: Switching, kept: Kept): Step => {
  if (stage === 'asked') return 'withdraw'
  if (kept.keeper === 'gone') return 'later'
  const again = stage === 'relaunching' && kept.launches > launches
  if (kept.keeper === 'running') return again ? 'done' : 'stop'
  // Before it was told to end it ended by itself: somebody wanted that.
  return stage === 'narrowed' || again ? 'later' : 'relaunch'
}

/** What of it goes on, in words. Whoever is limited or in error does nothing that could be broken off. */
export const work = (session: Session): readonly string[] => {
  const { turn, calls, waiting, background, queue, compacting } = session
  const running = calls.filter(({ id }) => !waiting.some(({ call }) => call === id))
  const idle = calls.length === 0 && waiting.length === 0
  return [
    ...waiting.map(
      ({ tool }) => `its question whether ${oneLine(tool, 60)} may run, which waits for an answer`,
    ),
    ...running.map(({ tool }) => `the call of ${oneLine(tool, 60)} that runs`),
    ...(turn !== undefined && idle ? ['the turn that it is in'] : []),
    ...(compacting ? ['the compacting of its conversation'] : []),
    ...background.map(({ kind, description }) => oneLine(`${kind} in the background: ${description}`, 120)),
    ...(queue.length > 0 ? [`what waits in its own queue (${queue.length})`] : []),
  ]
}

/** What a switch now would break off. */
export const interruptions = (session: Session): readonly string[] => [
  ...work(session),
  ...(session.typed !== undefined || session.draft ? ['what stands in its input line and was not sent'] : []),
]

/** Why it cannot be switched as it is now; undefined = it can, as soon as nothing is broken off. */
export const unready = (session: Session): string | undefined => {
  const state = stateOf(session)
  if (!session.managed) return 'it runs a command without a role'
  return state.name === 'unsupervised' ? 'it is unsupervised, and is being stopped' : undefined
}

const rank = ({ verdict }: Decision): number => verdicts.indexOf(verdict)

/**
 * While the old process lives with what it was offered and allowed, both roles hold. Where the new one is silent its CLI
 * would ask before anything but reading, and the old one's may not.
 */
export const during = (held: Decision, next: Decision, role: Judged, { tool }: Call): Decision => {
  const { all, any } = needOf(tool, role.tools)
  const reads = any === undefined && all.every((one) => one === 'read')
  if (rank(next) > rank(held)) return next
  if (next.verdict !== 'none' || reads || rank(held) >= verdicts.indexOf('ask')) return held
  const by = {
    layer: 'rules',
    verdict: 'ask',
    reason: `the role is being switched to "${role.name}", which does not allow it by a rule`,
  } as const
  return { verdict: 'ask', by, opinions: [...held.opinions, by] }
}

export const switchingFact = (id: string, switching: Switching): Fact =>
  fact('session.switching', id, switching)

type Between = Pick<Switching, 'from' | 'to' | 'by'>

const between = ({ from, to, by }: Between): Between => ({ from, to, by })

export const switchedFact = (id: string, which: Between, when: 'now' | 'resume'): Fact =>
  fact('session.switched', id, { ...between(which), when })

export const unswitchedFact = (id: string, which: Between, why: string): Fact =>
  fact('session.unswitched', id, { ...between(which), why })

type Record = { readonly role?: string | undefined; readonly switching?: Switching | undefined }

/** The part of a session's record that tells of its switch; undefined = the event is about something else. */
export const reduceSwitch = <R extends Record>(was: R | undefined, { type, data }: Event): R | undefined => {
  if (was === undefined) return undefined
  const { switching: _over, ...rest } = was
  if (type === 'session.switching') return { ...was, switching: data as Switching }
  if (type === 'session.switched') return { ...rest, role: (data as Between).to } as R
  return type === 'session.unswitched' ? (rest as R) : was
}

/** Overrides were for the role before; the new one counts as it is written. */
export const renamed = (file: SessionFile, role: string): SessionFile => ({
  ...file,
  role,
  switched: true,
  overrides: {},
})

/** Where it works and where its conversation lies stay what they are. `config`: shared with other agents. */
export const inPlace = (
  role: Role,
  { cwd, worktree }: Pick<SessionFile, 'cwd' | 'worktree'>,
  config: string | undefined,
): Role => {
  const { claude_config_dir: _others, ...rest } = role
  return {
    ...rest,
    root_dir: worktree ?? cwd,
    worktree: { ...role.worktree, enabled: worktree !== undefined },
    ...(config === undefined ? {} : { claude_config_dir: config }),
  }
}
