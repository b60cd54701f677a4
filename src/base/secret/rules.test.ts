import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formsOf, mask, maskOf, shortest } from './rules.ts'

const secret = 'S3cret+/é "x" \\y~!end'
const encode = (text: string, by: BufferEncoding): string => Buffer.from(text).toString(by)
const lower = (text: string): string => text.replace(/%../g, (each) => each.toLowerCase())
const strict = encodeURIComponent(secret).replace(/[!'()*]/g, (each) => `%${encode(each, 'hex')}`)
const form = new URLSearchParams({ x: secret }).toString().slice(2)

test.each<[string, string]>([
  ['plain', secret],
  ['in JSON', JSON.stringify({ secret })],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ secret }))],
  ['in JSON of Python', JSON.stringify(secret).replace('é', '\\u00e9')],
  ['in JSON of Python in JSON', JSON.stringify(JSON.stringify(secret).replace('é', '\\u00e9'))],
  ['in JSON of C#', JSON.stringify(secret).replace('é', '\\u00E9')],
  ['in JSON of PHP', JSON.stringify(secret).replace('é', '\\u00e9').replace('/', '\\/')],
  ['in JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify({ secret })))],
  ['in a URL', `https://x/?token=${encodeURIComponent(secret)}&y`],
  ['in a URL, in lower case', `https://x/?token=${lower(encodeURIComponent(secret))}&y`],
  ['in a URL of Python', strict],
  ['in a path', strict.replaceAll('%2F', '/')],
  ['in a form', `a=b&token=${form}&c=d`],
  ['in a form, in lower case', lower(form)],
  ['by encodeURI', encodeURI(secret)],
  ['in base64', encode(secret, 'base64')],
  ['in base64url', encode(secret, 'base64url')],
  ['in base64 behind one byte', encode(`a${secret}bc`, 'base64')],
  ['in base64 behind two bytes', encode(`ab${secret}c`, 'base64')],
  ['in Basic', encode(`user:${secret}`, 'base64')],
  ['in hex', encode(secret, 'hex')],
  ['in hex of others', encode(secret, 'hex').toUpperCase()],
])('a secret is found %s', (_, text) => {
  const masked = mask(`before ${text} after`, [secret])
  expect(masked).toMatch(/^before .*\[redacted\].* after$/)
  // At most the few characters that it shares with its neighbours, and the quotes.
  expect(masked.length).toBeLessThan(60)
  expect(formsOf(secret).filter((each) => masked.includes(each))).toEqual([])
})

test('long base64 is found where it is broken into lines', () => {
  const long =
    'sk-ant-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789abcdefghijklmnop'
  for (const width of [64, 76]) {
    const lines = encode(long, 'base64').match(new RegExp(`.{1,${width}}`, 'g')) as string[]
    const [first, ...rest] = mask(lines.join('\n'), [long]).split('\n')
    expect(first).toBe('[redacted]')
    expect(rest.join('').length).toBeLessThan(24)
  }
})

test.each(['base64', 'base64url', 'hex'] as const)(
  'wherever a line breaks in %s, too little is left',
  (by) => {
    for (const before of ['', 'a', 'ab', 'abc', 'x'.repeat(40)])
      for (let width = 40; width <= 80; width += 4) {
        const spelled = encode(`${before}${secret}${secret}`, by)
        const own = spelled.slice(encode(before, by).length)
        const left = mask(spelled.replace(new RegExp(`.{${width}}`, 'g'), '$&\n'), [secret])
        const told = left.split(/\[redacted\]|\n/).filter((rest) => own.includes(rest))
        expect(Math.max(...told.map((rest) => rest.length)), left).toBeLessThan(16)
      }
  },
)

test('a key of several lines is found where each line has something before it', () => {
  const key =
    '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\nshort=\n-----END KEY-----\n'
  const [begin, one, two, short] = key.split('\n')
  expect(mask(`1 ${begin}\n2 ${one}\r\n3 ${two}\n4 ${short}`, [key])).toBe(
    '1 [redacted]\n2 [redacted]\r\n3 [redacted]\n4 short=',
  )
})

test('space around it is no part of it: a file ends with a line break, a variable does not', () => {
  expect(mask('x=abcdefgh', ['abcdefgh\n'])).toBe('x=[redacted]')
})

test('what is too short is left: it would be missed everywhere, and told by the gaps', () => {
  expect(formsOf('x'.repeat(shortest - 1))).toEqual([])
  expect(formsOf(` ${'x'.repeat(shortest - 1)} `)).toEqual([])
  expect(mask('true or false', ['true', ''])).toBe('true or false')
})

test('secrets that overlap or touch go whole, under one mark', () => {
  expect(mask('<abcdefghijkl> <abcdefghefghijkl>', ['abcdefgh', 'efghijkl'])).toBe(
    '<[redacted]> <[redacted]>',
  )
  expect(mask('aaaaaaaaaa', ['aaaaaaaa'])).toBe('[redacted]')
})

test.each([
  ['redacted', 'the redacted one', 'the ■■■ one'],
  ['d] and so on', '[redacted] and so on', '[redacte■■■'],
  ['[redacted]■', 'x[redacted]■', 'x□□□'],
])('the mark itself never spells the secret %s', (value, text, expected) => {
  const masked = mask(text, [value])
  expect(masked).toBe(expected)
  expect(masked).not.toContain(value)
})

const word = fc.string({ minLength: shortest, maxLength: 30, unit: 'binary' })

test('whatever the secrets and wherever they stand, no spelling is left, and nothing else is touched', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), fc.array(fc.nat()), (secrets, picks) => {
      const forms = secrets.flatMap(formsOf)
      fc.pre(forms.length > 0)
      const text = picks.map((pick) => (pick % 3 === 0 ? '<>' : forms[pick % forms.length])).join('.')
      const masked = maskOf(secrets)(text)
      expect(forms.filter((each) => masked.includes(each))).toEqual([])
    }),
  )
})

test('a line of JSON stays one', () => {
  fc.assert(
    fc.property(word, fc.array(fc.string()), (given, strings) => {
      // One that begins in the middle of an escape is not what it seems, and is masked all the same.
      const value = `S${given.replace(/\s/g, '_')}`
      const said = [...strings, value, `<${value}>`]
      const parsed = JSON.parse(mask(JSON.stringify({ said }), [value])) as { said: string[] }
      expect(parsed.said).toHaveLength(said.length)
    }),
  )
})
