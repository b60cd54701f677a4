// A demo that cannot fail proves nothing: where the program lies, every act must notice.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acts } from './acts.ts'
import type { Stage } from './stage.ts'

test.each(acts.map((act) => ({ act, claim: act.claim })))('a liar is found out: $claim', async ({ act }) => {
  const root = await mkdtemp(join(tmpdir(), 'agency-liar-'))
  onTestFinished(() => rm(root, { recursive: true, maxRetries: 20, retryDelay: 100 }))
  const liar: Stage = {
    root,
    repository: root,
    agency: async () => ({ code: 1, out: 'All is well.', err: '' }),
    json: async () => ({ up: true, components: [{ name: 'coder', state: 'idle' }] }),
    env: { PATH: process.env.PATH },
    scripted: 'no-such-program',
    hook: 'true',
    seen: () => {},
  }
  await expect(act.prove(liar)).rejects.toThrow(/Not true here|No host runs/)
})
