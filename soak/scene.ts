// What the agents of a loop do: turns of a few calls, each of which leaves a mark on the disk if it really ran.
import type { Call, Scenario } from '../src/driver/scripted/scenario/schema.ts'

/** It ends in a stop: "turn 1." is no part of "turn 17." */
export const promptOf = (turn: number): string => `turn ${turn}.`
const markOf = (turn: number, step: number): string => `t${turn}-s${step}`

const stepsOf = (turn: number): number => 3 + (turn % 3)

/** With the time, which says whether the journal knew of the call before. */
const bash = (mark: string, pause: string): Call => ({
  name: 'Bash',
  input: { command: `${pause}echo ${mark} $EPOCHREALTIME >> marks` },
})

const stray: Call = { name: 'Bash', input: { command: 'setsid sleep 100000 & echo $! > stray' } }

const callOf = (turn: number, step: number): Call => {
  const mark = markOf(turn, step)
  if (step === stepsOf(turn)) return { name: 'Write', input: { file_path: `written/${mark}`, content: mark } }
  return bash(mark, (turn + step) % 2 === 0 ? 'sleep 0.1; ' : '')
}

const steps = (turn: number): readonly number[] => Array.from({ length: stepsOf(turn) }, (_, at) => at + 1)

/** Leaves a process that has gone away from its group. */
export const wander = 'wander.'

export const scenarioOf = (turns: number): Scenario => ({
  scripts: [
    // As often as there are turns: a reply that comes for ever would never let the next one speak.
    {
      match: wander,
      replies: Array.from({ length: turns }, () => [{ calls: [stray] }, { text: 'Away.' }]).flat(),
    },
    ...Array.from({ length: turns }, (_, at) => at + 1).map((turn) => ({
      match: promptOf(turn),
      replies: [
        ...steps(turn).map((step) => ({ text: `Now ${markOf(turn, step)}.`, calls: [callOf(turn, step)] })),
        { text: `Done with ${promptOf(turn)}` },
      ],
    })),
  ],
})

/** The marks of the calls of these turns, in order. */
export const marksOf = (turns: readonly number[]): readonly string[] =>
  turns.flatMap((turn) => steps(turn).map((step) => markOf(turn, step)))

/** Those of them that Bash leaves in one file; the last of each turn is a file of its own. */
export const linesOf = (turns: readonly number[]): readonly string[] =>
  turns.flatMap((turn) => marksOf([turn]).slice(0, -1))

/** What a person at the terminal sees of them, in order. */
export const shownOf = (turns: readonly number[]): readonly string[] =>
  turns.flatMap((turn) => [promptOf(turn), ...marksOf([turn])])
