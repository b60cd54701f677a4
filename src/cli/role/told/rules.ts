// What is told of a decision and of examples.
import type { Foreseen } from '../../../permission/decide/foresee/rules.ts'
import { reasonOf, type Tried } from '../../../role/example/rules.ts'
import type { Role } from '../../../role/schema.ts'
import { networkOf } from '../../../sandbox/policy/rules.ts'
import { table } from '../../output/rules.ts'

const said = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const

const decidedBy = ({ decision: { by }, native }: Foreseen): string => {
  if (native !== undefined) return 'Claude Code'
  return by.rule === undefined ? by.layer : `${by.layer}, ${by.rule}`
}

/** What a role lets through that no layer looks at. */
const notesOn = ({ sandbox }: Role): string[] =>
  sandbox !== undefined && sandbox.enabled !== false && networkOf(sandbox) === 'full'
    ? [
        '',
        'Its sandbox shares the network of this machine: what listens on loopback is guarded by tokens only.',
      ]
    : []

export const explained = (role: Role, foreseen: Foreseen): string[] => {
  const { verdict, decision, native } = foreseen
  const rows = decision.opinions.map(({ layer, verdict: its, rule = '', reason }) => [
    layer,
    its,
    rule,
    reason,
  ])
  const behind = native === undefined ? [] : [['claude', native.verdict, '', native.reason]]
  return [
    ...table([['LAYER', 'SAYS', 'RULE', 'WHY'], ...rows, ...behind]),
    '',
    `${said[verdict]} by ${decidedBy(foreseen)}: ${reasonOf(foreseen)}`,
    ...notesOn(role),
  ]
}

export type Tested = { readonly role: string; readonly tried: readonly Tried[] }

export const toldTests = (tested: readonly Tested[]): string[] => {
  const failures = tested.flatMap(({ role, tried }) =>
    tried
      .filter(({ passed }) => !passed)
      .map(
        ({ example, expected, got, reason }) =>
          `${role}: ${example} must be ${said[expected]}, and is ${got === undefined ? 'no call' : said[got]}: ${reason}`,
      ),
  )
  const counts = tested.map(({ role, tried }) => {
    const passed = tried.filter((each) => each.passed).length
    return [role, tried.length === 0 ? 'no examples' : `${passed} of ${tried.length} hold`]
  })
  return [...failures, ...(failures.length === 0 ? [] : ['']), ...table([['ROLE', 'EXAMPLES'], ...counts])]
}
