// Bad input that nobody has thought of before it came: each refused in words, at both doors, and nothing is made.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faced, given, heard, untilState, untilTask } from './face.ts'
import { type Door, get, type Heads, json, post, raw, read, type Sent, send } from './wire.ts'

type Row = readonly [name: string, sent: Sent, status: number, error: string, words?: RegExp]

const task = (body: string | Buffer, heads: Heads = json): Sent => ({
  method: 'POST',
  path: '/task',
  heads,
  body,
})
const with_ = (fields: object): Sent => task(JSON.stringify({ prompt: 'hi', ...fields }))
const typed = (type: string): Heads => [['content-type', type]]

const bodies: readonly Row[] = [
  ['nothing at all', { method: 'POST', path: '/task' }, 400, 'validation_error', /prompt is missing/],
  ['an empty object', task('{}'), 400, 'validation_error', /prompt is missing/],
  ['a trailing comma', task('{"prompt":"hi",}'), 400, 'validation_error', /JSON: it is broken at offset 15/],
  ['a comment', task('{"prompt":"hi"}//'), 400, 'validation_error', /JSON/],
  ['two documents', task('{"prompt":"a"}{"prompt":"b"}'), 400, 'validation_error', /offset 14/],
  ['NaN', task('{"prompt":NaN}'), 400, 'validation_error', /JSON/],
  ['cut off', task('{"prompt":"hi'), 400, 'validation_error', /ends too soon/],
  ['a text', task('"prompt"'), 400, 'validation_error', /object/],
  ['null', task('null'), 400, 'validation_error', /object/],
  ['a field twice', task('{"prompt":"a","prompt":"b"}'), 400, 'validation_error', /duplicate field: prompt/],
  ['UTF-16', task(Buffer.from('{"prompt":"hi"}', 'utf16le')), 400, 'validation_error', /JSON/],
  ['NUL', task('{"prompt":"a\\u0000b"}'), 400, 'validation_error', /NUL/],
  ['half a surrogate pair', task('{"prompt":"\\ud800"}'), 400, 'validation_error', /surrogate/],
  ['a prototype', task('{"prompt":"hi","__proto__":{"x":1}}'), 400, 'validation_error', /__proto__/],
  ['a method of every object', with_({ toString: 'x' }), 400, 'validation_error', /unknown field toString/],
  ['a form', task('prompt=hi', typed('application/x-www-form-urlencoded')), 415, 'unsupported_media_type'],
  ['no type', task('{"prompt":"hi"}', []), 415, 'unsupported_media_type', /nothing/],
  ['latin-1', task('{}', typed('application/json; charset=latin1')), 415, 'unsupported_media_type'],
  ['packed', task('{}', [...json, ['content-encoding', 'gzip']]), 415, 'unsupported_media_type', /gzip/],
  ['an expectation', task('{}', [...json, ['expect', 'cake']]), 400, 'validation_error', /prompt is missing/],
  ['too large', task(`{"prompt":"${'a'.repeat(3 * 1024 * 1024)}"}`), 413, 'body_too_large'],
]

const fields: readonly Row[] = [
  ...[null, [], {}, true, 1.5].map(
    (prompt): Row => [
      `the prompt ${JSON.stringify(prompt)}`,
      with_({ prompt }),
      400,
      'validation_error',
      /prompt must be a string/,
    ],
  ),
  ...[' ', '\n\t\r', '\u00a0\u2003'].map(
    (prompt): Row => [
      `the prompt ${JSON.stringify(prompt)}`,
      with_({ prompt }),
      400,
      'validation_error',
      /prompt must not be empty/,
    ],
  ),
  ['a prompt beyond the limit', with_({ prompt: 'a'.repeat(1_100_000) }), 400, 'validation_error', /prompt/],
  ...['', 'Opus', '--help', 'claude-3 x', '../opus', `claude-${'x'.repeat(300)}`, 5, null, ['opus']].map(
    (model): Row => [
      `the model ${JSON.stringify(model)}`.slice(0, 60),
      with_({ model }),
      400,
      'validation_error',
      /model/,
    ],
  ),
  ...[0, -1, 0.5, '60', 1e9, null, true].map(
    (timeout_seconds): Row => [
      `the time ${JSON.stringify(timeout_seconds)}`,
      with_({ timeout_seconds }),
      400,
      'validation_error',
      /timeout_seconds/,
    ],
  ),
  ['no end of time', task('{"prompt":"hi","timeout_seconds":1e999}'), 400, 'validation_error', /timeout/],
  ...['../x', '/x', '', '.', '..', '%2e', '~', 'a\\b', 'x', '3f0c1a52-0000-4000-8000-00000000000', 5, {}].map(
    (session_id): Row => [
      `the session ${JSON.stringify(session_id)}`,
      with_({ session_id }),
      400,
      'validation_error',
      /session_id/,
    ],
  ),
  [
    'a session with a line behind it',
    with_({ session_id: '3f0c1a52-0000-4000-8000-000000000000\n' }),
    400,
    'validation_error',
    /session_id/,
  ],
  ...[
    'x',
    [],
    null,
    {},
    { name: '', prompt: 'x' },
    { name: 'x' },
    { name: 5, prompt: 'x' },
    { name: 'x', prompt: 'x', y: 1 },
  ].map(
    (project): Row => [
      `the project ${JSON.stringify(project)}`,
      with_({ project }),
      400,
      'validation_error',
      /project/,
    ],
  ),
  ...[
    'PATH',
    'HOME',
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'BASH_ENV',
    'ENV',
    'PROMPT_COMMAND',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'PYTHONSTARTUP',
    'CLAUDE_CONFIG_DIR',
    'CLAUDECODE',
    'AGENCY_ACTOR',
    'H2_DIR',
    'ANTHROPIC_BASE_URL',
    'https_proxy',
    'ALL_PROXY',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'BASH_FUNC_x%%',
    '',
    'A=B',
    'A B',
    '1A',
    'Ä',
    'A\nB',
  ].map(
    (variable): Row => [
      `the variable ${JSON.stringify(variable)}`,
      with_({ env: { [variable]: 'x' } }),
      400,
      'validation_error',
      /env/,
    ],
  ),
  ...['x', [], null, 5, { A: 1 }, { A: null }, { A: ['x'] }].map(
    (env): Row => [`the env ${JSON.stringify(env)}`, with_({ env }), 400, 'validation_error', /env/],
  ),
  [
    'a variable that no program would start with',
    with_({ env: { A: 'x'.repeat(200_000) } }),
    400,
    'validation_error',
    /env must have at most/,
  ],
  [
    'a prototype as env',
    task('{"prompt":"hi","env":{"__proto__":"x"}}'),
    400,
    'validation_error',
    /__proto__|env/,
  ],
  ...['x', ['../x'], [5], ['github-token'], Array(30).fill('a')].map(
    (credentials): Row => [
      `the credentials ${JSON.stringify(credentials)}`.slice(0, 60),
      with_({ credentials }),
      400,
      'validation_error',
      /credentials/,
    ],
  ),
  ['kept open by a word', with_({ keep_open: 'yes' }), 400, 'validation_error', /keep_open/],
  ['resumable by a number', with_({ resumable: 1 }), 400, 'validation_error', /resumable/],
  ...['', 'k'.repeat(201), 5, null].map(
    (idempotency_key): Row => [
      `the key ${JSON.stringify(idempotency_key)}`.slice(0, 40),
      with_({ idempotency_key }),
      400,
      'validation_error',
      /idempotency_key/,
    ],
  ),
  [
    'two keys',
    task('{"prompt":"hi","idempotency_key":"a"}', [...json, ['idempotency-key', 'b']]),
    400,
    'validation_error',
    /not the same/,
  ],
  [
    'a key without words',
    task('{"prompt":"hi"}', [...json, ['idempotency-key', '']]),
    400,
    'validation_error',
  ],
  [
    'a directory',
    with_({ workdir: '/tmp' }),
    400,
    'validation_error',
    /workdir is not taken: .*where its agent works/,
  ],
]

const addresses: readonly Row[] = [
  ...[
    '/task/%2e%2e',
    '/task/..%2fconfig',
    '/task/%252e%252e',
    '/task/task-a%00b',
    '/task/task-A',
    '/task/',
    '//task',
    '/TASK',
    '/task/task-x/',
    `/task/task-${'a'.repeat(60)}`,
    '/history/..%2f..%2ftoken',
    '/history/%2fetc%2fpasswd',
    '/task/task-none',
    '/task/task-none/debug',
    '/history/task-none',
    '/nope',
    '/task/task-none/nope',
    '/config/role',
  ].map((path): Row => [path.slice(0, 40), { path }, 404, 'not_found']),
  ['a broken escape', { path: '/task/%zz' }, 400, 'validation_error', /%/],
  ['an escape of no letter', { path: '/task/%ff' }, 400, 'validation_error', /%/],
  ...[
    'limit=0',
    'limit=-1',
    'limit=1e1',
    'limit=',
    'limit=%2010',
    'limit=0x10',
    'limit=%EF%BC%91',
    'limit=101',
    'page=',
    'page=1.5',
    'page=999999999',
    'before=..%2fx',
    'limit=1&limit=2',
    'colour=blue',
    '__proto__=1',
  ].map((query): Row => [`?${query}`, { path: `/history?${query}` }, 400, 'validation_error']),
  ...['continue', 'end', 'cancel'].map(
    (verb): Row => [
      `${verb} of nothing`,
      {
        method: 'POST',
        path: `/task/task-none/${verb}`,
        heads: json,
        body: verb === 'continue' ? '{"prompt":"x"}' : '{}',
      },
      404,
      'not_found',
    ],
  ),
  [
    'continue without a prompt',
    { method: 'POST', path: '/task/task-none/continue', heads: json, body: '{}' },
    400,
    'validation_error',
    /prompt is missing/,
  ],
  [
    'cancel with words',
    { method: 'POST', path: '/task/task-none/cancel', heads: json, body: '{"why":"x"}' },
    400,
    'validation_error',
    /unknown field why/,
  ],
  [
    'a question with words',
    { path: '/status', heads: json, body: '{"x":1}' },
    400,
    'validation_error',
    /unknown field x/,
  ],
  ...(
    [
      ['PUT', '/task', 'POST'],
      ['GET', '/task', 'POST'],
      ['HEAD', '/task', ''],
      ['OPTIONS', '/task', 'POST'],
      ['PATCH', '/config', 'GET, PUT'],
      ['DELETE', '/config', 'GET, PUT'],
      ['GET', '/shutdown', 'POST'],
      ['GET', '/task/task-x/cancel', 'POST'],
      ['POST', '/status', 'GET'],
      ['POST', '/history', 'GET'],
    ] as const
  ).map(([method, path]): Row => [`${method} ${path}`, { method, path }, 405, 'method_not_allowed']),
]

const shutdowns: readonly Row[] = [
  ...[
    { timeout_seconds: -1 },
    { timeout_seconds: '5' },
    { timeout_seconds: 1e9 },
    { force: 'yes' },
    { now: true },
  ].map(
    (body): Row => [
      `shutdown ${JSON.stringify(body)}`,
      { method: 'POST', path: '/shutdown', heads: json, body: JSON.stringify(body) },
      400,
      'validation_error',
      new RegExp(Object.keys(body)[0] ?? ''),
    ],
  ),
]

const settings: readonly Row[] = [
  ...(
    [
      [{ port: 80 }, /port/],
      [{ prot: 9000 }, /unknown field prot/],
      [{ claude: { model: '--help' } }, /claude.model/],
      [{ claude: { timeout: 30 } }, /claude.timeout/],
      [{ claude: { max_turns: 0 } }, /claude.max_turns/],
      [{ role: 'nobody' }, /role must name a role/],
      [{ name: 'other' }, /name must be "ag-01"/],
      [{ root_dir: '/nope' }, /root_dir/],
      [{ session_dir: '../..' }, /session_dir/],
      [{ permission_mode: 'bypassPermissions', sandbox: { enabled: false } }, /permission_mode/],
    ] as const
  ).map(
    ([body, words]): Row => [
      `the settings ${JSON.stringify(body)}`,
      { method: 'PUT', path: '/config', heads: json, body: JSON.stringify(body) },
      400,
      'validation_error',
      words,
    ],
  ),
]

const callers: readonly Row[] = [
  ['no token', { path: '/history', heads: [['authorization', '']] }, 401, 'unauthorized'],
  [
    'a token in the address',
    { path: '/history?token=x', heads: [['authorization', 'Basic eDp4']] },
    401,
    'unauthorized',
  ],
  ['a page of ours', { path: '/status', heads: [['origin', 'http://127.0.0.1']] }, 403, 'foreign_page'],
  ['a link', { path: '/status', heads: [['referer', 'http://example.com/']] }, 403, 'foreign_page'],
  ['an image', { path: '/status', heads: [['sec-fetch-site', 'cross-site']] }, 403, 'foreign_page'],
  ['a rebound name', { path: '/status', heads: [['host', 'example.com']] }, 421, 'misdirected'],
  ['another port', { path: '/status', heads: [['host', '127.0.0.1:1']] }, 421, 'misdirected'],
  ['long headers', { path: '/status', heads: [['x', 'a'.repeat(20_000)]] }, 431, 'headers_too_large'],
  ['a long address', { path: `/${'a'.repeat(20_000)}` }, 431, 'headers_too_large'],
]

const rows = [...bodies, ...fields, ...addresses, ...shutdowns, ...settings, ...callers]

test('each is refused in words, makes nothing, and the agent works on', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  for (const door of [await at.own(), at.mounted()])
    for (const [name, sent, status, error, words = /./] of rows) {
      const got = await send(door, sent)
      const told = `${name}: ${got.status} ${got.text.slice(0, 400)}`
      expect(got.status, told).toBe(status)
      if (sent.method === 'HEAD') continue
      expect(got.body, told).toMatchObject({ error, message: expect.stringMatching(words) })
      expect(Object.keys(got.body), told).toEqual(
        expect.arrayContaining(['error', 'message', 'safe', 'next']),
      )
      expect(got.text, told).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\/|\/dist\//)
      expect(got.heads['content-type'], told).toBe('application/json; charset=utf-8')
      if (status === 405) expect(got.heads.allow, told).toMatch(/GET|POST|PUT/)
    }
  expect((await get(at.mounted(), '/history')).body).toMatchObject({ tasks: [], total: 0 })
  expect(readdirSync(join(at.root, 'history'))).toEqual([])
  await untilTask(at.mounted(), await given(await at.own(), { prompt: 'fine' }), 'completed')
})

const line = (door: Door, text: string): string =>
  text
    .replaceAll('$HOST', `127.0.0.1:${door.port}`)
    .replaceAll('$AUTH', `Authorization: Bearer ${door.token}`)

/** Requests that two readers could cut in different places. */
const games: readonly (readonly [string, string])[] = [
  ['both lengths', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} '],
  ['a list of lengths', 'Content-Length: 2, 3\r\n\r\n{} '],
  ['a length below nothing', 'Content-Length: -1\r\n\r\n'],
  ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
  ['a length in hex', 'Content-Length: 0x2\r\n\r\n{}'],
  ['a length beyond numbers', 'Content-Length: 99999999999999999999\r\n\r\n'],
  ['an unknown coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['chunked, then not', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a blank before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
  ['a folded line', 'X: a\r\n b\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n'],
  ['a chunk beyond numbers', 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n'],
  ['a chunk of no number', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\n'],
]

test('what two readers could read differently is answered once, with a refusal, and nothing hides behind it', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const hidden = (door: Door) =>
    line(door, `POST ${door.prefix}/shutdown HTTP/1.1\r\nHost: $HOST\r\n$AUTH\r\nConnection: close\r\n\r\n`)
  for (const door of [await at.own(), at.mounted()])
    for (const [name, text] of games) {
      const first = line(
        door,
        `POST ${door.prefix}/task HTTP/1.1\r\nHost: $HOST\r\n$AUTH\r\nContent-Type: application/json\r\n${text}`,
      )
      const heard = await raw(door.port, first + hidden(door))
      const got = read(heard)
      expect([400, 413, 415, 417], `${name}: ${heard}`).toContain(got.status)
      expect(heard.match(/Shutdown initiated/g), `${name}: ${heard}`).toBe(null)
    }
  for (const text of [
    'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: $HOST\r\n\r\n',
    'GET http://evil/status HTTP/1.1\r\nHost: $HOST\r\n$AUTH\r\nConnection: close\r\n\r\n',
    'GET * HTTP/1.1\r\nHost: $HOST\r\n$AUTH\r\nConnection: close\r\n\r\n',
    '\r\n\r\n\0\0',
    'GET /status\r\n\r\n',
    'GET /status HTTP/9.9\r\n\r\n',
  ])
    expect(await raw((await at.own()).port, line(await at.own(), text)), text).toMatch(
      /^(HTTP\/1.1 4\d\d .*|)$/s,
    )
  expect((await get(at.mounted(), '/status')).body.state).toBe('idle')
})

test('tokens: no caller learns more from a wrong one than from none', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  for (const door of [await at.own(), at.mounted()]) {
    const { token } = door
    const heads: readonly Heads[] = [
      [['authorization', 'Bearer x']],
      [['authorization', `Bearer ${'0'.repeat(token.length)}`]],
      [['authorization', `Bearer ${token}x`]],
      [['authorization', `Bearer ${token} ${token}`]],
      [['authorization', `Basic ${token}`]],
      [['authorization', token]],
      [
        ['authorization', `Bearer ${token}`],
        ['authorization', `Bearer ${token}`],
      ],
      [
        ['authorization', `Bearer ${token}`],
        ['Authorization', 'Bearer x'],
      ],
    ]
    const none = await raw(
      door.port,
      `GET ${door.prefix}/history HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nConnection: close\r\n\r\n`,
    )
    for (const path of ['/history', '/nope', '/task/task-none', '/config'])
      for (const each of heads) {
        const got = await send(door, { path, heads: each })
        expect([got.status, got.text], JSON.stringify(each)).toEqual([401, read(none).text])
      }
    expect(
      await send(door, { path: '/history', heads: [['authorization', `bearer ${token}`]] }),
    ).toMatchObject({
      status: 200,
    })
    // Without a token the status tells what a stranger may know.
    const open = read(
      await raw(
        door.port,
        `GET ${door.prefix}/status HTTP/1.1\r\nHost: localhost:${door.port}\r\nConnection: close\r\n\r\n`,
      ),
    )
    expect(Object.keys(open.body)).toEqual(['type', 'interfaces', 'version', 'state'])
  }
  // Which files are read is not for those who come by a port.
  const brought = { type: 'agent', name: 'x', file: '/etc/passwd' }
  expect((await post({ ...at.mounted(), prefix: '' }, '/components', brought)).status).toBe(404)
  expect((await post(at.mounted(), '/task', { prompt: 'fine' })).status).toBe(201)
})
