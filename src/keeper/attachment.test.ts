import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { place, until } from '../../test/kit/keeper.ts'
import { attach } from './attachment.ts'
import { frameReader } from './frame.ts'
import { openScrollback, openSpool } from './output.ts'

/** Both ends of one connection, and what has come to the far one. */
const pair = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [near] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    far.destroy()
    near.destroy()
  })
  let text = ''
  far.on(
    'data',
    frameReader({
      json: (value) => {
        text += JSON.stringify(value)
      },
      bytes: (bytes) => {
        text += `<${bytes}>`
      },
    }),
  )
  return { near, got: () => text }
}

test('what has just been printed goes to whoever has all before it, the rest comes from the disk', async () => {
  const { near, got } = await pair()
  const directory = place()
  const output = openScrollback(join(directory, 'scrollback'))
  const other = openSpool(join(directory, 'other'), 1_000)
  onTestFinished(() => {
    output.close()
    other.close()
  })
  const print = (text: string): void => {
    const bytes = Buffer.from(text)
    view.printed(output, output.append(bytes) ? bytes : undefined)
  }
  output.append(Buffer.from('one'))
  const view = attach(near, output, 1)
  print('two')
  await until(() => got() === '<netwo>', 'what it had not seen before')
  print('three')
  await until(() => got() === '<netwo><three>', 'the next')
  // The second comes while the first is on its way.
  print('four')
  print('five')
  await until(() => got() === '<netwo><three><four><five>', 'one after the other')
  // As long as what is missing, but of another.
  output.append(Buffer.from('six'))
  view.printed(other, Buffer.from('not'))
  view.printed(output, undefined)
  await until(() => got() === '<netwo><three><four><five><six>', 'what the disk has')
  await view.caughtUp()
})

test('who is too late for what is kept is cut', async () => {
  const { near, got } = await pair()
  const output = openScrollback(join(place(), 'scrollback'), { segment: 4, keep: 1 })
  onTestFinished(output.close)
  const bytes = Buffer.from('0123456789')
  output.append(bytes)
  attach(near, output, 0).printed(output, bytes.subarray(8))
  await until(() => got() === '{"cut":{"missed":4}}', 'it hears what it missed')
})
