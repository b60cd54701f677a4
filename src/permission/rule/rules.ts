import { nearest } from '../../base/text/rules.ts'
import { knownTools, pathTools, type Rule } from './schema.ts'

type Parsed = { readonly rule: Rule } | { readonly problem: string }

/** No one writes longer ones, and matching takes longer than in proportion. */
const longest = 2000

/** Parentheses that are not escaped with a backslash. */
const parentheses = (text: string): string => text.replace(/\\[\s\S]/g, '').replace(/[^()]/g, '')

const balanced = (text: string): boolean => {
  let depth = 0
  for (const mark of parentheses(text)) {
    depth += mark === '(' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

/**
 * Claude Code drops a settings file, or a rule, that it cannot read, and says nothing. A lost deny rule opens
 * a door, so what it would not read is refused here.
 */
export const parseRule = (text: string): Parsed => {
  const rule = text.trim()
  if (rule === '') return { problem: 'a rule must name a tool' }
  if (rule.length > longest) return { problem: `a rule has at most ${longest} characters` }
  if (/[\0-\x1f\x7f]/.test(rule)) return { problem: 'a rule is one line without control characters' }
  if (!balanced(rule)) return { problem: `"${rule}" has a parenthesis without its other half` }
  const open = rule.indexOf('(')
  const tool = open < 0 ? rule : rule.slice(0, open)
  if (open >= 0 && !rule.endsWith(')')) return { problem: `"${rule}" has text after the parenthesis` }
  const pattern = open < 0 ? undefined : rule.slice(open + 1, -1)
  if (pattern !== undefined && pattern.trim() === '') {
    return { problem: `"${rule}" has nothing in its parentheses; write ${tool || 'a tool name'} alone` }
  }
  if (/^mcp__/.test(tool)) {
    if (/__$/.test(tool) || !/^mcp__[\w.-]+?(__([\w.-]+|\*))?$/.test(tool)) {
      return { problem: `"${tool}" must be mcp__server or mcp__server__tool` }
    }
    if (pattern !== undefined) return { problem: `"${rule}": rules for MCP tools take no parentheses` }
  } else if (!/^[A-Z][A-Za-z0-9]*$/.test(tool)) {
    return { problem: `"${rule}" must start with a tool name, such as Bash or mcp__server__tool` }
  }
  return { rule: pattern === undefined ? { tool } : { tool, pattern } }
}

/** What Claude reads but will hardly match as meant. */
const doubtful = ({ tool, pattern }: Rule): string | undefined => {
  if (pattern === undefined) return undefined
  if (pathTools.includes(tool) && pattern.endsWith(':*')) {
    return `"${tool}(${pattern})": ":*" is for Bash; paths take "*" and "**"`
  }
  if (tool === 'Bash' && /:\*./.test(pattern)) return `"Bash(${pattern})": ":*" counts only at the end`
  if (tool === 'WebFetch' && !pattern.startsWith('domain:')) {
    return `"WebFetch(${pattern})" matches nothing; write WebFetch(domain:example.com)`
  }
  return undefined
}

const known = (tool: string): boolean =>
  tool.startsWith('mcp__') || (knownTools as readonly string[]).includes(tool)

/** One rule as a person wrote it: refused (`problem`), doubted (`warning`), or fine. */
export type Opinion = { readonly problem?: string; readonly warning?: string; readonly meant?: string }

export const judgeRule = (text: string): Opinion => {
  const parsed = parseRule(text)
  if ('problem' in parsed) return parsed
  const { tool } = parsed.rule
  if (!known(tool)) {
    const meant = nearest(tool, knownTools)
    const warning = `"${tool}" is not a tool of Claude Code, so this rule matches nothing`
    return meant === undefined ? { warning } : { warning, meant }
  }
  const warning = doubtful(parsed.rule)
  return warning === undefined ? {} : { warning }
}
