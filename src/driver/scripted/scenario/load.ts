// A scenario from its file, and how far a session has come in it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { type Given, next } from './rules.ts'
import { type Reply, type Scenario, scenario } from './schema.ts'

export const loadScenario = (path: string | undefined): { ok: Scenario } | { problem: string } => {
  if (!path) return { problem: 'AGENCY_SCENARIO does not name a scenario file' }
  try {
    const read = scenario.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    return read.success ? { ok: read.data } : { problem: `${path}: ${z.prettifyError(read.error)}` }
  } catch (error) {
    return { problem: `${path}: ${(error as Error).message}` }
  }
}

export type Player = { next: (said: string, subagent: boolean) => Reply }

/** Counts in a file beside the transcript: a resumed session goes on where it was. */
export const openPlayer = (told: Scenario, file: string | undefined): Player => {
  let given: Given = file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Given) : []
  return {
    next: (said, subagent) => {
      const taken = next(told, given, { said, subagent })
      given = taken.given
      if (file) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(`${file}.${process.pid}`, JSON.stringify(given))
        renameSync(`${file}.${process.pid}`, file)
      }
      return taken.reply
    },
  }
}
