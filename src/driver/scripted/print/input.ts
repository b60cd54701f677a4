// The prompt on stdin.
import { fstatSync } from 'node:fs'

const patienceMs = 3000

/** What stands on stdin; an open but silent one is waited for a while, and then done without. */
export const readStdin = (warn: (text: string) => void): Promise<string> =>
  new Promise((resolve) => {
    if (process.stdin.isTTY || !readable()) return resolve('')
    let text = ''
    const timer = setTimeout(() => {
      if (text !== '') return
      warn('Warning: no stdin data received in 3s, proceeding without it.')
      process.stdin.destroy()
      resolve('')
    }, patienceMs)
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', (piece: string) => {
      text += piece
    })
    const end = (): void => {
      clearTimeout(timer)
      resolve(text)
    }
    process.stdin.on('end', end)
    process.stdin.on('error', end)
  })

const readable = (): boolean => {
  try {
    fstatSync(0)
    return true
  } catch {
    // Closed before we began.
    return false
  }
}
