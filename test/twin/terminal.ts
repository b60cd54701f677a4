// A program on a real PTY, with a terminal behind it: the case reads what a person would see.
import { setTimeout as sleep } from 'node:timers/promises'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { killGroup } from './run.ts'
import { until } from './until.ts'

export type Terminal = {
  pid: number
  screen: () => string
  sees: (what: string | RegExp) => Promise<string>
  gone: (what: string | RegExp) => Promise<string>
  write: (text: string) => void
  /** Bracketed, as a terminal pastes. */
  paste: (text: string) => void
  /** Pastes, waits until the paste is seen, and presses Enter. */
  send: (text: string) => Promise<void>
  /** Presses a key of a dialog that shows `dialog`, until the dialog is gone. */
  answer: (key: string, dialog?: string | RegExp) => Promise<void>
  code: () => number | undefined
  exited: () => Promise<number>
  kill: (signal?: NodeJS.Signals) => void
}

export const keys = { enter: '\r', escape: '\x1b', interrupt: '\x03', clear: '\x15' }
export const question = /Do you want to/

const has = (screen: string, what: string | RegExp) =>
  typeof what === 'string' ? screen.includes(what) : what.test(screen)

/** A long paste is shown as a mark; a leading `!` becomes the prompt's own sign. */
const pasted = (screen: string, text: string) => {
  const bare = (row: string) => row.replace(/^[❯>!\s]+/, '').trim()
  const last = bare(text.split('\n').at(-1) ?? '')
  return screen.split('\n').some((row) => bare(row) === last || row.includes('[Pasted text'))
}

export const openTerminal = (
  file: string,
  args: string[],
  how: { cwd: string; env: Record<string, string> },
): Terminal => {
  const size = { cols: 140, rows: 50 }
  const child = pty.spawn(file, args, { ...how, ...size, name: 'xterm-256color' })
  const view = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 2000 })
  let code: number | undefined
  child.onData((data) => view.write(data))
  child.onExit((exit) => {
    code = exit.exitCode
  })
  // The CLI asks the terminal who it is and waits for the answer.
  view.onData((data) => code === undefined && child.write(data))

  const screen = () => {
    const { active } = view.buffer
    const rows = Array.from({ length: size.rows }, (_, row) => active.getLine(active.baseY + row))
    return rows
      .map((line) => line?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd()
  }
  const shown = () => `exit code ${code ?? 'none'}, the screen:\n${screen()}`
  const sees: Terminal['sees'] = (what) =>
    until(`the screen to show ${what}`, () => has(screen(), what) && (screen() || ' '), shown)
  const gone: Terminal['gone'] = (what) =>
    until(`the screen to lose ${what}`, () => !has(screen(), what) && (screen() || ' '), shown)
  const write = (text: string) => child.write(text)
  const paste = (text: string) => write(`\x1b[200~${text}\x1b[201~`)

  return {
    pid: child.pid,
    screen,
    sees,
    gone,
    write,
    paste,
    send: async (text) => {
      paste(text)
      // Enter in the same breath as a paste would be read as a part of it.
      await until('the paste to be seen', () => pasted(screen(), text), shown)
      await sleep(200)
      write(keys.enter)
    },
    answer: async (key, dialog = question) => {
      await sees(dialog)
      for (;;) {
        // A dialog that was just drawn ignores keys for a moment, so that nobody answers by accident.
        await sleep(400)
        if (!has(screen(), dialog)) return
        write(key)
        const quick = await until('the dialog to go', () => !has(screen(), dialog), shown, 10_000).catch(
          () => false,
        )
        if (quick || code !== undefined) return
      }
    },
    code: () => code,
    exited: () => until('the program to end', () => code ?? false, shown).then(() => code as number),
    kill: (signal = 'SIGKILL') => {
      if (code === undefined) killGroup(child.pid, signal)
    },
  }
}
