// What the CLI itself does with a call that no layer of ours decides: for people who want to know beforehand.

import { isWithin } from '../../../base/path/rules.ts'
import type { Call } from '../../call/schema.ts'
import { needOf } from '../../tool/rules.ts'
import { writers } from '../../tool/schema.ts'
import type { Facts, Judged, State } from '../schema.ts'
import { touchOf } from '../touch/rules.ts'

export type Native = { readonly verdict: 'allow' | 'ask' | 'deny'; readonly reason: string }

const inTree = (call: Call, { place }: State, facts: Facts): boolean => {
  const { reads, writes } = touchOf(call, place)
  return [...reads, ...writes].every(({ paths }) =>
    paths.every((path) => isWithin(place.tree, facts[path]?.real ?? path)),
  )
}

/**
 * A command that only reads may pass without a question: which ones do is the CLI's own list, so it is not
 * promised here.
 */
export const nativeOf = (role: Judged, state: State, call: Call, facts: Facts): Native => {
  const mode = role.permission_mode
  const { all, any } = needOf(call.tool, role.tools)
  const web = call.tool.startsWith('Web') || call.tool.startsWith('mcp__')
  if (all.length === 0 && any === undefined && !web)
    return { verdict: 'allow', reason: 'the tool touches nothing' }
  if (mode === 'bypassPermissions') return { verdict: 'allow', reason: 'the role skips permissions' }
  if (all.every((one) => one === 'read') && any === undefined && !web && inTree(call, state, facts))
    return { verdict: 'allow', reason: 'the CLI reads files of its tree without a question' }
  if (mode === 'dontAsk') return { verdict: 'deny', reason: 'the mode is dontAsk, and no rule allows it' }
  if (mode === 'acceptEdits' && writers.includes(call.tool) && inTree(call, state, facts))
    return { verdict: 'allow', reason: 'the mode is acceptEdits, and it is a file of the tree' }
  if (mode === 'auto')
    return { verdict: 'allow', reason: 'the mode is auto: the CLI decides and asks nobody' }
  return { verdict: 'ask', reason: 'no rule decides: the CLI asks' }
}
