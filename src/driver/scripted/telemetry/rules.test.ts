import { expect, test } from 'vitest'
import { logsBody, metricsBody, pairs, resourceOf } from './rules.ts'

test('pairs are read as OTEL writes them', () =>
  expect(pairs('a=b, c=d%20e,f,=g,h=i=j')).toEqual({ a: 'b', c: 'd e', h: 'i=j' }))

test('what is named in the environment goes with every record', () =>
  expect(resourceOf('1', 'agency.agent=coder')).toEqual({
    'service.name': 'claude-code',
    'service.version': '1',
    'agency.agent': 'coder',
  }))

test('a log record', () => {
  const body = logsBody(
    [{ name: 'user_prompt', atMs: 1700000000123, attributes: { n: 1, f: 0.5, s: 'x' } }],
    {},
    '1',
  )
  expect(body).toMatchObject({
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: '1700000000123000000',
                body: { stringValue: 'claude_code.user_prompt' },
                attributes: [
                  { key: 'n', value: { intValue: 1 } },
                  { key: 'f', value: { doubleValue: 0.5 } },
                  { key: 's', value: { stringValue: 'x' } },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
})

test('points of one name are one metric, as delta', () => {
  const points = [
    { name: 'token.usage', value: 1, attributes: { type: 'input' } },
    { name: 'token.usage', value: 2, attributes: { type: 'output' } },
  ]
  const body = JSON.stringify(metricsBody(points, {}, '1', { fromMs: 1, toMs: 2 }))
  expect(body.match(/claude_code\.token\.usage/g)).toHaveLength(1)
  expect(body).toContain('"aggregationTemporality":1')
  expect(body.match(/asDouble/g)).toHaveLength(2)
})
