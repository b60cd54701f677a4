// The terminal as a whole: who gets the keys, and what stands at the bottom.
import { type Dialog, openDialog, type Question } from './dialog.ts'
import { readKeys } from './keys/read.ts'
import type { Key } from './keys/rules.ts'
import { openPaint } from './paint.ts'

export type Desk = {
  log: (text: string) => void
  /** What is being said, before its line is whole. */
  partial: (text: string) => void
  /** Changes the line above the prompt. */
  status: (text: string) => void
  choose: (question: Question, signal?: AbortSignal) => Promise<number>
  onEnter: (enter: (text: string) => void) => void
  onKey: (press: (key: Key) => void) => void
  /** Puts this text into the prompt. */
  fill: (text: string) => void
  end: () => void
}

const shorten = (text: string): string => {
  const lines = text.split('\n')
  return lines.length > 1 ? `[Pasted text +${lines.length - 1} lines] ${lines.at(-1)}` : text
}

export const openDesk = (out: NodeJS.WriteStream): Desk => {
  const paint = openPaint(out)
  let input = ''
  let status = ''
  let partial = ''
  let dialog: Dialog | undefined
  let enter: ((text: string) => void) | undefined
  let other: (key: Key) => void = () => undefined
  const prompt = (): string[] => (enter ? [`❯ ${shorten(input)}`] : [])
  const draw = (): void =>
    paint.footer(dialog ? dialog.lines() : [partial, status].filter((line) => line !== '').concat(prompt()))
  const edit = (key: Key): void => {
    if (key.kind === 'text' || key.kind === 'paste') input += key.text
    else if (key.kind === 'backspace') input = [...input].slice(0, -1).join('')
    else if (key.kind === 'clear') input = ''
    else if (key.kind === 'enter') {
      const text = input
      input = ''
      if (text.trim() !== '') enter?.(text)
    } else other(key)
    draw()
  }
  const stop = readKeys((key) => (dialog ? dialog.press(key) : enter ? edit(key) : other(key)))
  let asking: Promise<unknown> = Promise.resolve()
  const ask = async (question: Question, signal?: AbortSignal): Promise<number> => {
    if (signal?.aborted) return -1
    const opened = openDialog(question, draw, () => performance.now())
    signal?.addEventListener('abort', opened.cancel)
    dialog = opened
    draw()
    const choice = await opened.answer
    signal?.removeEventListener('abort', opened.cancel)
    dialog = undefined
    draw()
    return choice
  }
  return {
    log: paint.log,
    partial: (text) => {
      partial = text
      draw()
    },
    status: (text) => {
      status = text
      draw()
    },
    // One dialog at a time: subagents may ask while another question is still open.
    choose: (question, signal) => {
      const mine = asking.then(() => ask(question, signal))
      asking = mine
      return mine
    },
    onEnter: (call) => {
      enter = call
      draw()
    },
    onKey: (call) => {
      other = call
    },
    fill: (text) => {
      input = text
      draw()
    },
    end: () => {
      stop()
      paint.end()
    },
  }
}
