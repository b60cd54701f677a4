// The routes of approvals.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { always, answer, approval, approvalId, longestReason, verdict } from './schema.ts'

const one = { params: z.object({ id: approvalId }), reply: approval }

export const approvals = {
  list: contract({
    method: 'GET',
    path: '/approvals',
    summary: 'What waits for a person, oldest first; with `all`, what was answered lately too.',
    query: z.object({
      agent: name.optional(),
      all: z.enum(['true', 'false']).optional().meta({ description: '`true`: also what needs no answer.' }),
    }),
    reply: z.strictObject({ approvals: z.array(approval) }).meta({ id: 'ApprovalsReply' }),
  }),
  show: contract({
    ...one,
    method: 'GET',
    path: '/approvals/:id',
    summary: 'One approval; with `seconds`, when it is known who won, or after that long.',
    query: z.object({
      seconds: z
        .string()
        .regex(/^([1-9]|[1-5]\d|60)$/, { error: 'must be a number from 1 to 60' })
        .optional(),
    }),
  }),
  rule: contract({
    method: 'GET',
    path: '/approvals/:id/rule',
    summary: 'What `always: role` would write, and where.',
    params: one.params,
    reply: z
      .strictObject({
        rule: z.string(),
        role: z.string(),
        file: z.string(),
        change: z.array(z.string()).meta({ description: 'The lines that change, and those around them.' }),
      })
      .meta({ id: 'ApprovalRule' }),
    errors: ['approval_no_rule'],
  }),
  answer: contract({
    ...one,
    method: 'POST',
    path: '/approvals/:id',
    summary: 'Allows or denies the call; the first answer wins, any other is told whose it was.',
    body: z.strictObject({
      verdict,
      reason: z
        .string()
        .max(longestReason)
        .optional()
        .meta({ description: 'What the agent is told of a no.' }),
      always: always.optional(),
      by: answer.shape.by.optional().meta({ description: 'Who answers; absent = api.' }),
      via: z.enum(['cli', 'api', 'view', 'bridge']).default('api'),
    }),
    errors: ['approval_settled', 'approval_no_rule'],
  }),
} as const
