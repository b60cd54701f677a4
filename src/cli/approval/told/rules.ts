// An approval in words.
import { gistOf, outcome } from '../../../approval/rules.ts'
import type { Approval } from '../../../approval/schema.ts'
import { oneLine } from '../../../base/text/rules.ts'
import { span } from '../../../session/summary/rules.ts'

const lives: Readonly<Record<Approval['life'], (approval: Approval) => string>> = {
  asked: () => 'waits',
  sent: (approval) => `${outcome(approval)}, not confirmed yet`,
  confirmed: outcome,
  expired: outcome,
  gone: (approval) => (approval.answer === undefined ? 'gone' : `${outcome(approval)}, not confirmed`),
}

export const stateWords = (approval: Approval): string => oneLine(lives[approval.life](approval), 60)

/** What somebody who has answered it is told. */
export const told = (approval: Approval): string => {
  const { id, agent, tool, life } = approval
  const about = `${oneLine(tool, 60)} of "${agent}"`
  if (life === 'sent')
    return `Approval ${id}: ${outcome(approval)}. The agent has not confirmed it yet: ${about}.`
  return `Approval ${id}: ${outcome(approval)}: ${about}.`
}

export const rowOf = (approval: Approval, at: number): string[] => {
  const left = approval.expires === undefined || approval.life !== 'asked' ? '-' : span(approval.expires - at)
  const who = approval.subagent === undefined ? approval.agent : `${approval.agent} (subagent)`
  return [
    approval.id,
    who,
    oneLine(approval.tool, 40),
    span(at - approval.at),
    left,
    stateWords(approval),
    `${gistOf(approval, 100)}${approval.cut ? ' (cut)' : ''}`,
  ]
}
