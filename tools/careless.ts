// A host that does one thing wrong, which the loops must find out. `careless <root> --deny` refuses
// every call that asks it; `careless <root> --rewind` begins by taking back the last events of the journal; `--open` leaves a
// file open for every hundredth request, `--hoard` keeps something of each.
import { openSync } from 'node:fs'
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { collectWhenTold } from '../soak/garbage.ts'
import { layout } from '../src/config/layout/rules.ts'
import { runHost } from '../src/host/main.ts'
import { openDatabase } from '../src/store/engine.ts'

const [root = '', flag] = process.argv.slice(2)
collectWhenTold()

const denial = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'the host is new here',
  },
})

const { emit } = Server.prototype
const denying = function (this: Server, event: string, ...given: readonly unknown[]): boolean {
  const [message, response] = given as readonly [IncomingMessage, ServerResponse]
  if (event !== 'request' || message.url !== '/hook') return Reflect.apply(emit, this, [event, ...given])
  message.resume().once('end', () => response.writeHead(200).end(denial))
  return true
}
if (flag === '--deny') Server.prototype.emit = denying as typeof emit

const kept: Buffer[] = []
const keeping = function (this: Server, event: string, ...given: readonly unknown[]): boolean {
  if (event === 'request') kept.push(Buffer.alloc(flag === '--hoard' ? 128 * 1024 : 1, 1))
  if (flag === '--open' && kept.length % 100 === 0) openSync('/dev/null', 'r')
  return Reflect.apply(emit, this, [event, ...given])
}
if (flag === '--open' || flag === '--hoard') Server.prototype.emit = keeping as typeof emit

if (flag === '--rewind') {
  const db = await openDatabase(layout(root).store)
  // Of the kind that nothing is folded from: only somebody who has seen them can miss them.
  db.exec(
    "delete from journal where seq in (select seq from journal where kind = 'activity' order by seq desc limit 3)",
  )
  db.close()
}

process.exitCode = await runHost(root, { signals: process, ready: ({ port }) => console.log(port) })
