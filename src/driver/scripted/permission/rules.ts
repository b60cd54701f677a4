// Claude Code's own permission rules, as far as the scripted agent needs them: prefixes, modes, protected files.
import type { Mode } from '../argv/schema.ts'

type Json = Record<string, unknown>
export type Judged = { behavior: 'allow' | 'ask' | 'deny'; why: string }

export const writers: readonly string[] = ['Write', 'Edit']

/** Splits at `&&`, `||`, `;`, `|`, `&` and newlines outside quotes. Good enough for a stand-in, not for a gate. */
export const commands = (line: string): string[] => {
  const parts: string[] = ['']
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] ?? ''
    const redirects = sign === '&' && (line[at - 1] === '>' || line[at + 1] === '>')
    if (quote) quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if ('&|;\n'.includes(sign) && !redirects) {
      parts.push('')
      continue
    }
    parts[parts.length - 1] += sign
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^$()|[\]\\{}]/g, '\\$&')
      .replace(/\*\*|\*|\?/g, (star) => (star === '**' ? '.*' : star === '*' ? '[^/]*' : '[^/]'))}$`,
  )

const commandFits = (pattern: string, command: string): boolean => {
  if (pattern.endsWith(':*')) return fitsPrefix(pattern.slice(0, -2), command)
  if (pattern.endsWith(' *')) return fitsPrefix(pattern.slice(0, -2), command)
  if (!pattern.includes('*')) return command === pattern
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+^$()|[\]\\{}?]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(command)
}
const fitsPrefix = (prefix: string, command: string): boolean =>
  command === prefix || command.startsWith(`${prefix} `)

const pathFits = (pattern: string, path: string, cwd: string): boolean => {
  const absolute = pattern.startsWith('//') ? pattern.slice(1) : `${cwd}/${pattern.replace(/^(\.\/|\/)/, '')}`
  return glob(absolute).test(path) || glob(pattern).test(path)
}

const split = (rule: string): { tool: string; pattern: string | undefined } => {
  const [, tool = rule, pattern] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? []
  return { tool: tool === 'Task' ? 'Agent' : tool, pattern: pattern === '*' ? undefined : pattern }
}

/** A rule about Edit is about every change of a file. */
const covers = (rule: string, tool: string): boolean => rule === tool || (rule === 'Edit' && tool === 'Write')

/** `every`: an allow rule must fit each part of a compound command; a deny rule needs one. */
export const ruleMatches = (rule: string, tool: string, input: Json, cwd: string, every = false): boolean => {
  const { tool: named, pattern } = split(rule)
  if (!covers(named, tool)) return false
  if (pattern === undefined) return true
  if (tool === 'Bash') {
    const line = String(input.command ?? '')
    const parts = commands(line)
    const fits = (part: string): boolean => commandFits(pattern, part)
    return every ? parts.length > 0 && parts.every(fits) : fits(line) || parts.some(fits)
  }
  if (tool === 'Agent') return pattern === input.subagent_type
  return pathFits(pattern, String(input.file_path ?? ''), cwd)
}

/** Commands that run unasked in every mode, as long as nothing in them is computed or redirected. */
const reads =
  /^(echo|ls|cat|pwd|head|tail|wc|grep|rg|find|which|whoami|date|true|false|sleep|printf|stat|file|du|df|id|uname|hostname|sort|uniq|cut|basename|dirname|realpath|test|seq|env)$/
const gitReads = /^git (status|log|diff|show|branch|rev-parse|remote|ls-files|blame)\b/
const edits = /^(touch|mkdir|rm|rmdir|mv|cp|sed)$/
const dynamic = /[`]|\$\(|<\(|>\(/

const redirected = (command: string): string | undefined => {
  const bare = command.replace(/[0-9]*>&[0-9-]|&?[0-9]*>>?\s*\/dev\/null/g, '')
  return />>?\s*(\S+)/.exec(bare.replace(/'[^']*'|"[^"]*"/g, (quoted) => quoted.replace(/>/g, ' ')))?.[1]
}

const first = (command: string): string => command.split(/\s+/)[0] ?? ''

export const isRead = (command: string): boolean =>
  !dynamic.test(command) &&
  commands(command).every(
    (part) =>
      redirected(part) === undefined &&
      (gitReads.test(part) || (reads.test(first(part)) && !/\s-(exec|delete|ok)/.test(part))),
  )

/** Writing these would change who is asked next time: accepting edits does not accept them. */
const protectedPath = /(^|\/)(\.git|\.claude)(\/|$)|(^|\/)\.mcp\.json$/
const inside = (path: string, cwd: string): boolean =>
  !path.split('/').includes('..') && (!path.startsWith('/') || path === cwd || path.startsWith(`${cwd}/`))

const editsInside = (line: string, cwd: string): boolean =>
  !dynamic.test(line) &&
  commands(line).every((part) => {
    const words = part
      .split(/\s+/)
      .slice(1)
      .filter((word) => !word.startsWith('-'))
    const target = redirected(part)
    const places = [...(edits.test(first(part)) ? words : []), ...(target === undefined ? [] : [target])]
    return (
      (edits.test(first(part)) || reads.test(first(part))) &&
      places.every((place) => inside(place, cwd) && !protectedPath.test(place))
    )
  })

const harmless = (tool: string, input: Json, cwd: string): boolean =>
  tool === 'Agent' ||
  (tool === 'Read' && inside(String(input.file_path ?? ''), cwd)) ||
  (tool === 'Bash' && isRead(String(input.command ?? '')))

const edit = (tool: string, input: Json, cwd: string): boolean =>
  tool === 'Bash'
    ? editsInside(String(input.command ?? ''), cwd)
    : writers.includes(tool) &&
      inside(String(input.file_path ?? ''), cwd) &&
      !protectedPath.test(String(input.file_path ?? ''))

export type Call = { tool: string; input: Json; cwd: string }
export type Policy = { mode: Mode; allow: readonly string[]; deny: readonly string[]; ask: readonly string[] }

export const unavailable = 'Classifier unavailable'

/** `hook`: what a PreToolUse hook said; its allow does not beat a deny rule, its ask beats every allow. */
export const judge = ({ tool, input, cwd }: Call, policy: Policy, hook?: 'allow' | 'ask'): Judged => {
  const has = (rules: readonly string[], every: boolean): string | undefined =>
    rules.find((rule) => ruleMatches(rule, tool, input, cwd, every))
  const denied = has(policy.deny, false)
  if (denied) return { behavior: 'deny', why: `Permission to use ${tool} has been denied.` }
  if (hook) return { behavior: hook, why: 'hook' }
  if (has(policy.ask, false)) return { behavior: 'ask', why: 'rule' }
  if (policy.mode === 'bypassPermissions') return { behavior: 'allow', why: 'mode' }
  if (has(policy.allow, true)) return { behavior: 'allow', why: 'rule' }
  if (harmless(tool, input, cwd)) return { behavior: 'allow', why: 'read' }
  if (policy.mode === 'dontAsk')
    return {
      behavior: 'deny',
      why: `Permission to use ${tool} has been denied because Claude Code is running in don't ask mode.`,
    }
  if ((policy.mode === 'acceptEdits' || policy.mode === 'auto') && edit(tool, input, cwd))
    return { behavior: 'allow', why: 'mode' }
  if (policy.mode === 'auto') return { behavior: 'deny', why: unavailable }
  return { behavior: 'ask', why: 'mode' }
}
