// HTTP hooks that fail. `onFailure: "block"` is what makes them fail closed, where it is heeded at all.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Answer, listen } from '../twin/listen.ts'
import type { Rig } from '../twin/rig.ts'
import type { Ended } from '../twin/run.ts'
import { bash, turn } from '../twin/say.ts'
import { hooked, http } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'

const failures: Record<string, Answer> = {
  refused: 'hang',
  status: { status: 500, body: 'broken' },
  redirect: { status: 302, body: '' },
  denial: { status: 403, body: '{"decision":"block","reason":"no"}' },
  words: { status: 200, body: 'not JSON' },
  cut: 'cut',
  timeout: 'hang',
}
const kinds = Object.keys(failures)
const few = ['refused', 'status', 'words', 'timeout']
const all = (outcome: string, of = kinds) => Object.fromEntries(of.map((kind) => [kind, outcome]))
const scripts = kinds.map((kind) => turn(`try ${kind}`, [bash(`touch ${kind}`)]))

/** Runs one prompt per kind of failure and says of each what became of it. */
const outcomes = async (
  rig: Rig,
  event: string,
  more: object,
  args: string[],
  judge: (kind: string, ended: Ended) => string,
  of = kinds,
) => {
  const found: Record<string, string> = {}
  for (const kind of of) {
    const listener = await rig.listen(() => failures[kind])
    if (kind === 'refused') await listener.close()
    const entry = http(listener.url, { timeout: kind === 'timeout' ? 1 : 30, ...more })
    const ended = await rig.print(`try ${kind}`, args, { settings: hooked({ [event]: entry }) })
    const heard = kind === 'refused' ? 0 : 1
    if (Math.min(listener.hooks.length, 1) !== heard)
      throw new Error(`${kind}: ${listener.hooks.length} hooks`)
    found[kind] = judge(kind, ended)
  }
  return found
}

const ran =
  (rig: Rig) =>
  (kind: string, { result }: Ended) =>
    `${existsSync(join(rig.work, kind)) ? 'ran' : 'not run'}, ${result?.permission_denials.length} denied`

twin('a failed PreToolUse lets the call through', async (make) => {
  const rig = await make(scripts)
  expect(await outcomes(rig, 'PreToolUse', {}, ['--allowedTools=Bash'], ran(rig))).toEqual(
    all('ran, 0 denied'),
  )
})

twin('a failed PreToolUse with onFailure blocks the call', async (make) => {
  const rig = await make(scripts)
  const block = { onFailure: 'block' }
  expect(await outcomes(rig, 'PreToolUse', block, ['--allowedTools=Bash'], ran(rig))).toEqual(
    all('not run, 1 denied'),
  )
})

twin('a failed PermissionRequest never grants, with or without onFailure', async (make) => {
  const rig = await make(scripts)
  for (const more of [{}, { onFailure: 'block' }]) {
    const manual = ['--permission-mode', 'manual']
    expect(await outcomes(rig, 'PermissionRequest', more, manual, ran(rig), few)).toEqual(
      all('not run, 1 denied', few),
    )
  }
})

twin('a failed UserPromptSubmit lets the prompt through, with onFailure it is blocked', async (make) => {
  const rig = await make(scripts)
  const judge = (_: string, { code, result }: Ended) => `exit ${code}, ${result?.num_turns} turns`
  const args = ['--allowedTools=Bash']
  const block = { onFailure: 'block' }
  expect(await outcomes(rig, 'UserPromptSubmit', block, args, judge, few)).toEqual(
    all('exit 0, 0 turns', few),
  )
  expect(await outcomes(rig, 'UserPromptSubmit', {}, args, judge, few)).toEqual(all('exit 0, 2 turns', few))
})

twin('a failed Stop ends the turn all the same, onFailure is not heeded', async (make) => {
  const rig = await make(scripts)
  const judge = (_: string, { code, result }: Ended) => `exit ${code}, ${result?.result}`
  for (const more of [{}, { onFailure: 'block' }]) {
    expect(await outcomes(rig, 'Stop', more, ['--allowedTools=Bash'], judge, few)).toEqual(
      all('exit 0, All is done.', few),
    )
  }
})

twin('SessionStart knows no HTTP hook: it is never called, onFailure is not heeded', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen()
  const entry = http(listener.url, { onFailure: 'block' })
  const { code, result } = await rig.print('go', ['--allowedTools=Bash'], {
    settings: hooked({ SessionStart: entry, PreToolUse: entry }),
  })
  expect([code, result?.result, listener.events()]).toEqual([0, 'All is done.', ['PreToolUse']])
})

twin('an answer without a body is no opinion, even with onFailure', async (make) => {
  const rig = await make([turn('empty', [bash('touch empty')]), turn('204', [bash('touch 204')])])
  for (const status of ['empty', '204']) {
    const listener = await rig.listen(() => (status === '204' ? { status: 204, body: '' } : undefined))
    await rig.print(status, ['--allowedTools=Bash'], {
      settings: hooked({ PreToolUse: http(listener.url, { onFailure: 'block' }) }),
    })
    expect(existsSync(join(rig.work, status))).toBe(true)
  }
})

twin('a listener that dies while it holds the hook denies the call at once', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const held = await listen(() => 'hang')
  try {
    const running = await rig.start('go', ['--allowedTools=Bash'], {
      settings: hooked({ PreToolUse: http(held.url, { onFailure: 'block', timeout: 3600 }) }),
    })
    await held.until('PreToolUse')
    await held.close()
    const { result } = await running.ended
    expect([existsSync(join(rig.work, 'ran')), result?.permission_denials.length]).toEqual([false, 1])
  } finally {
    await held.close().catch(() => undefined)
  }
})

twin('a header takes only the variables it was allowed', async (make) => {
  const rig = await make([turn('go', [bash('true')])])
  const listener = await rig.listen()
  const headers = { Authorization: 'Bearer $MINE', 'X-Other': 'is $OTHER' }
  await rig.print('go', ['--allowedTools=Bash'], {
    settings: hooked({ PreToolUse: http(listener.url, { headers, allowedEnvVars: ['MINE'] }) }),
    env: { MINE: 'mine', OTHER: 'other' },
  })
  const { headers: sent } = await listener.until('PreToolUse')
  expect([sent.authorization, sent['x-other']?.toString().trim()]).toEqual(['Bearer mine', 'is'])
})
