// A question with a few answers, as the CLI asks it.
import type { Key } from './keys/rules.ts'

/** A dialog that just came up does not take keys meant for what was there before. */
const deafMs = 200

export type Question = {
  title: readonly string[]
  options: readonly string[]
  /** Which option is marked at first. */
  preset: number
  plain?: boolean
}

export type Dialog = {
  lines: () => string[]
  press: (key: Key) => void
  /** The option taken; -1 = taken away unanswered. */
  answer: Promise<number>
  cancel: () => void
}

export const openDialog = (
  { title, options, preset, plain }: Question,
  redraw: () => void,
  now: () => number,
): Dialog => {
  const shown = now()
  let at = preset
  let done: (choice: number) => void = () => undefined
  const answer = new Promise<number>((resolve) => {
    done = resolve
  })
  const last = options.length - 1
  return {
    answer,
    cancel: () => done(-1),
    lines: () => [
      ...title,
      ...options.map((option, i) => `${i === at ? '❯' : ' '} ${plain ? '' : `${i + 1}. `}${option}`),
    ],
    press: (key) => {
      if (now() - shown < deafMs) return
      if (key.kind === 'enter') return done(at)
      if (key.kind === 'escape' || key.kind === 'interrupt') return done(last)
      if (key.kind === 'up') at = Math.max(0, at - 1)
      if (key.kind === 'down') at = Math.min(last, at + 1)
      // A paste is no answer; the Enter that follows it is, and it takes what is marked.
      const digit = key.kind === 'text' ? Number(key.text[0]) : Number.NaN
      if (digit >= 1 && digit <= options.length) return done(digit - 1)
      redraw()
    },
  }
}
