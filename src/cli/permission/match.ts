// `agency permission match`: a rule tried on one's own history, line by line as the calls come in.
import { createInterface } from 'node:readline'
import { fail } from '../../base/error/fail.ts'
import type { Place } from '../../permission/call/schema.ts'
import { matchPattern } from '../../permission/match/rules.ts'
import { parseRule } from '../../permission/rule/rules.ts'
import type { Handler } from '../io.ts'
import { json as shown } from '../output/rules.ts'
import { tried } from './schema.ts'

/** Gates may also be written `Tool:text`, and name MCP tools with a star anywhere. */
const check = (pattern: string): void => {
  const [, tool, text] = /^([A-Z][A-Za-z0-9]*):([\s\S]+)$/.exec(pattern) ?? []
  const rule = tool === undefined ? pattern : `${tool}(${text})`
  if (/^mcp__[\w.*-]+$/.test(pattern)) return
  const parsed = parseRule(rule)
  if (!('problem' in parsed)) return
  fail('bad_value', {
    value: pattern,
    what: '--pattern',
    expected: 'a rule such as Bash(git push:*) or Edit(src/**)',
    hint: `Quote it for your shell: ${parsed.problem}.`,
  })
}

const answer = (line: string, number: number, pattern: string, place: Place): Record<string, unknown> => {
  const wrong = (message: string) => ({ line: number, error: 'validation_error', message })
  let data: unknown
  try {
    data = JSON.parse(line)
  } catch (cause) {
    return wrong(`Line ${number} is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}`)
  }
  const { success, data: call } = tried.safeParse(data)
  if (!success) return wrong(`Line ${number} must be {"id":…,"tool":"Bash","input":{"command":"…"}}.`)
  return { id: call.id, ...matchPattern(pattern, call, place) }
}

export const run: Handler = async ({ values, io, json }) => {
  const pattern = values.pattern as string
  check(pattern)
  const cwd = io.cwd ?? '/'
  const place = { cwd, tree: cwd, home: io.env.HOME ?? '/' }
  const calls: Record<string, unknown>[] = []
  let number = 0
  let bad = false
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() === '') continue
    const one = answer(line, number, pattern, place)
    bad ||= 'error' in one
    if (json) calls.push(one)
    else io.stdout.write(shown(one, 0))
  }
  return { data: { calls }, lines: [], exit: bad ? 2 : 0 }
}
