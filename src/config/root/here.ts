import { homedir } from 'node:os'
import type { Where } from './schema.ts'

const cwd = (): string => {
  try {
    return process.cwd()
  } catch {
    // The directory the command was typed in is gone: then nothing is above it either.
    return '/'
  }
}

export const here = (): Where => ({ env: process.env, cwd: cwd(), home: homedir() })
