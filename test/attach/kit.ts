// A person at a terminal who types `agency attach`: a real PTY, and an emulator in place of the eyes.
import { readFileSync } from 'node:fs'
import { type IPty, spawn } from '@lydell/node-pty'
import headless, { type Terminal } from '@xterm/headless'
import { expect, onTestFinished } from 'vitest'
import type { Keeper } from '../../src/keeper/reach.ts'
import type { Size } from '../../src/keeper/schema.ts'
import { program, type World, world } from '../cli/kit.ts'
import { open, shell, until } from '../kit/keeper.ts'

export { program, until }

export type Person = {
  type(keys: string): void
  resize(size: Size): void
  /** The rows of the screen, as they are now. */
  rows(): string[]
  /** With what has scrolled away. */
  everything(): string
  shows(text: string): Promise<void>
  /** Every byte that the terminal was sent. */
  readonly got: () => string
  readonly terminal: Terminal
  /** Of the program that was typed. */
  pid(): number
  /** The exit code, and that the shell has its terminal back. */
  left(): Promise<string>
  close(): void
}

const columns = 80
const lines = 24

/** The shell tells at the end what was answered and how the terminal is. */
export const person = (at: World, command: string, size: Size = { columns, rows: lines }): Person => {
  const asked = "stty -a | tr ' ;' '\\n\\n' | grep -xE -e '-?(echo|icanon|isig|icrnl|opost)' | tr '\\n' ' '"
  const script = `echo before; ${command}; echo "code=$?"; ${asked}; echo 'all''done'; read -r x`
  const pty: IPty = spawn('/bin/bash', ['--norc', '-c', script], {
    cols: size.columns,
    rows: size.rows,
    cwd: at.cwd,
    env: { ...at.env, TERM: 'xterm-256color' } as Record<string, string>,
  })
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 5_000,
    allowProposedApi: true,
  })
  let [got, ended] = ['', false]
  pty.onData((text) => {
    got += text
    terminal.write(text)
  })
  // Its answers to questions.
  terminal.onData((text) => pty.write(text))
  pty.onExit(() => {
    ended = true
  })
  const close = (): void => {
    if (!ended) pty.kill('SIGKILL')
  }
  onTestFinished(() => {
    close()
    terminal.dispose()
  })
  const rows = (): string[] => {
    const { active } = terminal.buffer
    return Array.from(
      { length: terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
  }
  return {
    type: (keys) => pty.write(keys),
    resize: (next) => {
      terminal.resize(next.columns, next.rows)
      pty.resize(next.columns, next.rows)
    },
    rows,
    everything: () => {
      const { active } = terminal.buffer
      return Array.from(
        { length: active.length },
        (_, line) => active.getLine(line)?.translateToString(true) ?? '',
      ).join('\n')
    },
    shows: async (text) => {
      try {
        await until(() => rows().some((row) => row.includes(text)), text)
      } catch {
        throw new Error(`never shown: ${text}\n${rows().join('\n')}`)
      }
    },
    got: () => got,
    terminal,
    pid: () => Number(readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, 'utf8').trim()),
    left: async () => {
      await until(() => got.includes('alldone\r\n'), command).catch(() => {
        throw new Error(`no end of ${command}\n${rows().join('\n')}`)
      })
      await new Promise<void>((resolve) => terminal.write('', resolve))
      return /code=(\d+)/.exec(got)?.[1] ?? 'none'
    },
    close,
  }
}

type Inside = {
  readonly _core: {
    readonly coreService: { readonly isCursorHidden: boolean }
    readonly buffer: { readonly scrollTop: number; readonly scrollBottom: number }
  }
}

/** As a terminal is before anybody has touched it. */
export const expectRestored = ({ terminal, got }: Person): void => {
  const { coreService, buffer } = (terminal as unknown as Inside)._core
  expect({
    modes: terminal.modes,
    type: terminal.buffer.active.type,
    hidden: coreService.isCursorHidden,
    region: [buffer.scrollTop, buffer.scrollBottom],
  }).toEqual({
    modes: {
      applicationCursorKeysMode: false,
      applicationKeypadMode: false,
      bracketedPasteMode: false,
      insertMode: false,
      mouseTrackingMode: 'none',
      originMode: false,
      reverseWraparoundMode: false,
      sendFocusMode: false,
      synchronizedOutputMode: false,
      wraparoundMode: true,
    },
    type: 'normal',
    hidden: false,
    region: [0, terminal.rows - 1],
  })
  const after = got().split('code=')[1] ?? ''
  for (const word of ['echo', 'icanon', 'isig', 'icrnl', 'opost'])
    expect(after).toMatch(new RegExp(`(^|\\s)${word}\\s`))
}

export type Staged = { readonly at: World; readonly keeper: Keeper }

/** A root with the agent `coder`, whose program is this shell script. */
export const stage = async (script: string): Promise<Staged> => {
  const at = world()
  await at.agency(['init'])
  const { keeper } = await open({}, at.root)
  await keeper.launch(shell(script, { TERM: 'xterm-256color' }))
  return { at, keeper }
}

export const attach = `${program} attach coder`
export const detachKey = '\u001c'
