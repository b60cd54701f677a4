// Names become paths, branches, sockets and environment values: one rule for all of them.
import * as z from 'zod'

/** Words that mean something else where a name may stand: to agency and git, to JavaScript, to a Windows drive. */
export const reservedNames = [
  ...['all', 'host', 'none', 'self', 'head'],
  ...['constructor', 'prototype'],
  ...['con', 'prn', 'aux', 'nul'],
]

export const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/

export const nameRule = 'lower-case letters, digits and dashes, at most 63, not starting with a dash'

export const name = z
  .string()
  .regex(namePattern, { error: `must be a name: ${nameRule}` })
  .refine((value) => !reservedNames.includes(value), {
    error: (issue) => `"${issue.input}" is a reserved name`,
  })
  .meta({ description: `A name: ${nameRule}.` })
