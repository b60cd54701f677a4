// Where an agent's terminal is: with its live keeper, or in what an ended one left. Needs no host.
import { existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { nearest } from '../../base/text/rules.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { type Found, findKeepers, placesOf, readExit } from '../../keeper/find.ts'
import type { Exit } from '../../keeper/schema.ts'
import type { Call } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'

export type Place = {
  readonly root: string
  readonly agent: string
  /** Of its session. */
  readonly directory: string
  readonly keeper: Found | undefined
}

const foldersIn = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
}

/** When something was last printed there; 0 = nothing ever. */
const printedAt = (directory: string): number => {
  const { scrollback, stdout } = placesOf(directory)
  return Math.max(0, ...[scrollback, stdout].filter(existsSync).map((path) => statSync(path).mtimeMs))
}

/** The agent's own directory, or the latest of its single sessions. */
const leftBehind = async (root: string, agent: string): Promise<string | undefined> => {
  const own = layout(root).session(agent)
  const places = [own, ...(await foldersIn(own))].filter((directory) => printedAt(directory) > 0)
  return places.sort((a, b) => printedAt(b) - printedAt(a))[0]
}

export const findAgent = async ({ io }: Pick<Call, 'io'>, name: string): Promise<Place> => {
  const agent = checkName('agent name', name)
  const { directory: root } = await findRoot(where(io))
  const keepers = await findKeepers(root)
  const own = layout(root).session(agent)
  const its = keepers.filter((keeper) => keeper.agent === agent)
  const keeper = its.find(({ directory }) => directory === own) ?? its.at(-1)
  const directory = keeper?.directory ?? (await leftBehind(root, agent))
  if (directory !== undefined) return { root, agent, directory, keeper }
  const near = nearest(
    agent,
    keepers.map((each) => each.agent),
  )
  const see = 'Type `agency list` to see what runs.'
  return fail('not_found', {
    what: `agent "${agent}" with a session`,
    see: near === undefined ? see : `Did you mean "${near}"? ${see}`,
  })
}

export const ending = ({ code, signal }: Pick<Exit, 'code' | 'signal'>): string =>
  signal === null ? `ended with code ${code ?? '?'}` : `was ended by ${signal}`

/** What is known of the end of a session that nobody keeps any more. */
export const endingOf = async ({ directory }: Place): Promise<string> => {
  const exit = await readExit(directory)
  return exit === undefined ? 'was lost with its keeper' : ending(exit)
}

export const liveKeeper = async (place: Place): Promise<Found> =>
  place.keeper ??
  fail('not_found', {
    what: `running session of the agent "${place.agent}": it ${await endingOf(place)}`,
    see: `Type \`agency logs ${place.agent}\` to read what it printed.`,
  })
