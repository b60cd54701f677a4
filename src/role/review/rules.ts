// Whether the gates of a file stop what their author thinks. A gate that fits nothing is an open door.
import { doubt, type Remark, wrong } from '../../base/remark/rules.ts'
import { nearest } from '../../base/text/rules.ts'
import type { Call } from '../../permission/call/schema.ts'
import { matchPattern } from '../../permission/match/rules.ts'
import { knownTools } from '../../permission/rule/schema.ts'
import { readCall } from '../example/rules.ts'
import type { GatePattern, ReviewFile } from './schema.ts'

type Key = string | number
type Example = string | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }

/** Examples are of no real directory: what is relative in one is relative in all. */
const place = { cwd: '/work', tree: '/work', home: '/home/you' }

const shape = /^(?:\*|mcp__[\w*.-]+|[A-Z*][\w*]*)(?:\([\s\S]+\)|:[\s\S]+)?$/

const judge = (pattern: string, keys: readonly Key[]): Remark[] => {
  if (/[\p{Cf}\p{Cc}]/u.test(pattern))
    return [wrong(keys, 'has an invisible character, so it is not the pattern it looks like')]
  if (!shape.test(pattern)) {
    const text = `is "${pattern}", which names no tool: write \`Bash:gh issue close*\`, \`Edit(src/**)\` or \`mcp__server__*\``
    return [wrong(keys, text)]
  }
  const tool = /^[\w*.-]+/.exec(pattern)?.[0] ?? ''
  if (/^mcp__|\*/.test(tool) || (knownTools as readonly string[]).includes(tool)) return []
  return [doubt(keys, `is for "${tool}", which is no tool of Claude Code`, nearest(tool, knownTools))]
}

const shown = (example: Example): string => (typeof example === 'string' ? example : JSON.stringify(example))

/** As people write a call, or in the words of the pattern: `Bash:gh issue close 1`. */
const readExample = (example: Example): { readonly call: Call } | { readonly problem: string } => {
  if (typeof example !== 'string') return { call: example }
  const [, command] = /^Bash:([\s\S]+)$/.exec(example) ?? []
  return command === undefined ? readCall(example) : { call: { tool: 'Bash', input: { command } } }
}

const tryExample = (
  pattern: string,
  example: Example,
  stops: boolean,
  keys: readonly Key[],
): Remark | undefined => {
  const read = readExample(example)
  if ('problem' in read) return wrong(keys, `is no call: ${read.problem}`)
  const { match, why } = matchPattern(pattern, read.call, place)
  if ((match !== 'no') === stops) return undefined
  const text = stops ? `does not stop ${shown(example)}: ${why}` : `stops ${shown(example)}: ${why}`
  return wrong(keys, `is wrong about ${pattern}, which ${text}`)
}

const checkPattern = (written: GatePattern, keys: readonly Key[]): Remark[] => {
  if (typeof written === 'string') return judge(written, keys)
  const { pattern, match = [], not_match = [] } = written
  const judged = judge(pattern, [...keys, 'pattern'])
  if (judged.some(({ warning }) => !warning)) return judged
  const each = (name: 'match' | 'not_match', examples: readonly Example[]): Remark[] =>
    examples.flatMap(
      (example, at) => tryExample(pattern, example, name === 'match', [...keys, name, at]) ?? [],
    )
  return [...judged, ...each('match', match), ...each('not_match', not_match)]
}

/** `keys`: where the block stands in its file. */
export const checkReview = (review: ReviewFile | undefined, keys: readonly Key[] = ['review']): Remark[] => {
  const { tools = [], skip = [] } = review?.gates ?? {}
  return [
    ...tools.flatMap((written, at) => checkPattern(written, [...keys, 'gates', 'tools', at])),
    ...skip.flatMap((pattern, at) => judge(pattern, [...keys, 'gates', 'skip', at])),
  ]
}
