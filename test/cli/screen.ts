import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import type { World } from './kit.ts'

/**
 * A shell in a terminal that runs the command, then tells its exit code and whether the terminal echoes. It stays: what
 * a terminal still holds when its last program ends may be lost.
 */
export const terminal = (at: World, command: string) => {
  const script = `${command}; echo "code=$?"; stty -a | tr ' ' '\\n' | grep -xE -e '-?echo;?' -e '-?icanon;?' | tr '\\n' ' '; echo done; exec sleep 600`
  const pty = spawn('/bin/bash', ['--norc', '-c', script], {
    cols: 200,
    cwd: at.cwd,
    env: { ...at.env, TERM: 'xterm' } as Record<string, string>,
  })
  let [screen, ended] = ['', false]
  pty.onData((text) => {
    screen += text
  })
  pty.onExit(() => {
    ended = true
  })
  onTestFinished(() => {
    if (!ended) pty.kill('SIGKILL')
  })
  return { type: (keys: string) => pty.write(keys), screen: () => screen }
}
