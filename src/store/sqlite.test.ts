import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedContract, storeContract } from '../../test/kit/contract.ts'
import { reduce } from '../../test/kit/reduce.ts'
import { openStore } from './sqlite.ts'

const now = (): Date => new Date('2026-01-02T03:04:05.678Z')

const inFile = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agency-store-'))
  const reopen = () => openStore({ file: join(directory, 'agency.db'), reduce, now })
  return {
    store: await reopen(),
    reopen,
    remove: () => rm(directory, { recursive: true, maxRetries: 20, retryDelay: 100 }),
  }
}

storeContract('a file', inFile)
sharedContract('a file', inFile)

storeContract('memory', async () => ({
  store: await openStore({ file: ':memory:', reduce, now }),
  remove: async () => undefined,
}))
