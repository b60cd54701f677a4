import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { name } from '../name/schema.ts'
import { check, issuesOf, pathText, sentence } from './rules.ts'

const rule = z.union([z.string(), z.strictObject({ tool: z.string(), reason: z.string().optional() })])
const schema = z.strictObject({
  name,
  prompt: z.string().min(1),
  model: z.enum(['opus', 'sonnet', 'haiku']).default('sonnet'),
  count: z.int().min(1).max(5).optional(),
  ratio: z.number().gt(0).optional(),
  enabled: z.boolean().optional(),
  permissions: z
    .strictObject({ allow: z.array(z.string()).max(2), deny: z.array(rule) })
    .partial()
    .optional(),
  env: z.record(z.string().regex(/^[A-Z_]+$/, { error: 'must be in capitals' }), z.string()).optional(),
  url: z.url().optional(),
  place: z.string().startsWith('/').optional(),
  code: z.string().regex(/^x/).optional(),
  director: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('github'), repo: z.string() }),
      z.strictObject({ type: z.literal('scheduler') }),
    ])
    .optional(),
  literal: z.literal('yes').optional(),
  twice: z
    .string()
    .regex(/^\w/, { error: 'must be owner/name' })
    .refine((text) => text !== '..', { error: 'must be owner/name' })
    .optional(),
})
const good = { name: 'a', prompt: 'p' }

test.each<[string, unknown, string[]]>([
  ['a list for an object', [], ['must be an object, not a list']],
  ['text for an object', 'x', ['must be an object, not a string']],
  ['null for an object', null, ['must be an object, but is empty (null)']],
  ['missing fields', {}, ['name is missing', 'prompt is missing']],
  ['a number for text', { ...good, prompt: 7 }, ['prompt must be a string, not a number']],
  ['null for text', { ...good, prompt: null }, ['prompt must be a string, but is empty (null)']],
  ['empty text', { ...good, prompt: '' }, ['prompt must not be empty']],
  ['a boolean for text', { ...good, prompt: true }, ['prompt must be a string, not a boolean']],
  ['unknown field', { ...good, premissions: 1 }, ['unknown field premissions (did you mean permissions?)']],
  ['unlike any field', { ...good, zzzzzz: 1 }, ['unknown field zzzzzz']],
  [
    'a mistyped required field is one mistake',
    { name: 'a', promt: 'p' },
    ['unknown field promt (did you mean prompt?)'],
  ],
  [
    'nested unknown field',
    { ...good, permissions: { dney: [] } },
    ['unknown field permissions.dney (did you mean deny?)'],
  ],
  [
    'text for a list',
    { ...good, permissions: { deny: 'x' } },
    ['permissions.deny must be a list, not a string'],
  ],
  [
    'too many',
    { ...good, permissions: { allow: ['a', 'b', 'c'] } },
    ['permissions.allow must have at most 2 entries'],
  ],
  [
    'a form of a union whose kind fits',
    { ...good, permissions: { deny: ['x', { tol: 'Bash' }] } },
    ['unknown field permissions.deny[1].tol (did you mean tool?)'],
  ],
  [
    'no form of a union fits',
    { ...good, permissions: { deny: [5] } },
    ['permissions.deny[0] must be a string or an object, not a number'],
  ],
  [
    'not one of',
    { ...good, model: 'opsu' },
    ['model must be one of opus, sonnet, haiku, not "opsu" (did you mean opus?)'],
  ],
  ['a list for one of', { ...good, model: [] }, ['model must be one of opus, sonnet, haiku, not a list']],
  ['literal', { ...good, literal: 1 }, ['literal must be "yes", not 1']],
  ['too big', { ...good, count: 9 }, ['count must be at most 5']],
  ['too small', { ...good, count: 0 }, ['count must be at least 1']],
  ['not whole', { ...good, count: 1.5 }, ['count must be a whole number']],
  ['text for a whole number', { ...good, count: '1' }, ['count must be a number, not a string']],
  ['infinity', { ...good, ratio: Number.POSITIVE_INFINITY }, ['ratio must be a number, not infinity']],
  ['no number', { ...good, count: Number.NaN }, ['count must be a number, not NaN']],
  ['two checks that say the same', { ...good, twice: '..' }, ['twice must be owner/name']],
  ['exclusive bound', { ...good, ratio: 0 }, ['ratio must be more than 0']],
  [
    'yes is no boolean',
    { ...good, enabled: 'yes' },
    ['enabled must be true or false, not a string (did you mean true?)'],
  ],
  [
    'bad key',
    { ...good, env: { lower: 'x' } },
    ['env.lower is no name for a field here: it must be in capitals'],
  ],
  ['not a URL', { ...good, url: 'nope' }, ['url must be a URL']],
  ['prefix', { ...good, place: 'x' }, ['place must begin with /']],
  ['pattern', { ...good, code: 'y' }, ['code must be like /^x/']],
  [
    'discriminator',
    { ...good, director: { type: 'githib' } },
    ['director.type must be one of github, scheduler, not "githib" (did you mean github?)'],
  ],
  ['no discriminator', { ...good, director: {} }, ['director.type is missing']],
  [
    'inside a discriminated union',
    { ...good, director: { type: 'github', rpeo: 'x' } },
    ['unknown field director.rpeo (did you mean repo?)'],
  ],
  [
    'message of the schema',
    { ...good, name: '../y' },
    ['name must be a name: lower-case letters, digits and dashes, at most 63, not starting with a dash'],
  ],
  ['message of a refinement', { ...good, name: 'all' }, ['name: "all" is a reserved name']],
])('%s', (_, input, expected) => {
  const checked = check(schema, input)
  expect('issues' in checked ? checked.issues.map(sentence) : []).toEqual(expected)
})

test('a good value comes back parsed', () => {
  expect(check(schema, good)).toEqual({ value: { ...good, model: 'sonnet' } })
})

test('an issue carries its parts', () => {
  const checked = check(schema, { ...good, permissions: { deny: 'x' } })
  expect(checked).toEqual({
    issues: [
      {
        path: 'permissions.deny',
        keys: ['permissions', 'deny'],
        message: 'permissions.deny must be a list, not a string',
        expected: 'a list',
      },
    ],
  })
})

type Case = { surface: string; input: { name?: string; role?: string } }
const corpus: Case[] = JSON.parse(
  await readFile(new URL('../../../test/corpus/bad-input.json', import.meta.url), 'utf8'),
)
const names = corpus.filter(({ surface, input }) => surface === 'agent-name' && input.role === undefined)

test.each(names.map(({ input }) => input.name))(
  'no agent is called %j, and the message says it is the name',
  (bad) => {
    const checked = check(schema, { ...good, name: bad })
    expect('issues' in checked && checked.issues.map(({ path }) => path)).toContain('name')
  },
)

test('an error parsed without its input is explained as far as zod tells', () => {
  const { error } = schema.safeParse({ name: 'a', prompt: 7, model: 'x', nmae: 1 })
  expect(error && issuesOf(error).map(sentence)).toEqual([
    'prompt must be a string, not a number',
    'model must be one of opus, sonnet, haiku',
    'unknown field nmae',
  ])
})

test('what others wrote cannot forge lines or colours in a message', () => {
  const checked = check(schema, { ...good, '\u001b[31mx\nerror: y': 1, model: 'a\u001b[0m\nb' })
  const said = 'issues' in checked ? checked.issues.map(sentence).join('') : ''
  expect(said).not.toMatch(/[\u001b\n]/)
})

test.each([
  [[], ''],
  [['a', 'b', 0, 'c'], 'a.b[0].c'],
  [[0, 'a'], '[0].a'],
] as const)('path %j is %j', (keys, expected) => {
  expect(pathText(keys)).toBe(expected)
})
