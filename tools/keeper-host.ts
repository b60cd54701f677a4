// Stands in for a host in tests: starts a keeper, launches a session, and holds every hook until it is killed.
// `node build/keeper-host.js <opening and launch as JSON> <program…>`
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Launch } from '../src/keeper/schema.ts'
import { type Order, type Program, startKeeper } from '../src/keeper/start.ts'

const [what = '', ...program] = process.argv.slice(2)
const { opening, launch } = JSON.parse(what) as { opening: Order; launch: Launch }

const server = createServer(async (message) => {
  let text = ''
  for await (const piece of message) text += piece
  process.stdout.write(`${JSON.stringify({ held: (JSON.parse(text) as { id: string }).id })}\n`)
})
rmSync(opening.host, { force: true })
server.listen(opening.host)

const keeper = await startKeeper({ program: program as unknown as Program, opening })
const child = await keeper.launch(launch)
process.stdout.write(`${JSON.stringify({ up: { found: keeper.found, child } })}\n`)
