// One keeper: its directory, port and socket, and what its clients may ask of it.
import { chmod, mkdir, rm } from 'node:fs/promises'
import { fail } from '../base/error/fail.ts'
import { writeFleeting } from '../base/file/write.ts'
import { type Log, openLog } from '../base/log/open.ts'
import { alive, identify } from '../base/process/identity.ts'
import { version } from '../base/version.ts'
import { socketPath } from '../config/socket.ts'
import { type Client, openControl } from './control.ts'
import { openDoors } from './doors.ts'
import { placesOf, readCard } from './find.ts'
import type { Guard } from './guard.ts'
import { openLife } from './life.ts'
import { openListener } from './listener.ts'
import { openMasking } from './masking.ts'
import { openOutbox } from './outbox.ts'
import { type Output, openScrollback, openSpool } from './output.ts'
import { hearPasting, notPasting } from './pasting.ts'
import { pipesIn } from './pipe.ts'
import {
  type Card,
  type Extent,
  type Launch,
  type Launched,
  type Opening,
  protocol,
  type Recalled,
  type Request,
  type Status,
  type Stream,
} from './schema.ts'
import { openTyping } from './typing.ts'
import { openWindows } from './windows.ts'

/** A run that prints more says nothing any more. */
const spoolLimit = 512 * 1024 * 1024
/** An ended session is held for another launch; its exit and output stay on the disk anyway. */
const afterlife = 86_400_000

export type Kept = {
  readonly card: Card
  readonly log: Log
  /** Resolves when nothing of the session is left here; whether the process is to wait for another. */
  readonly gone: Promise<boolean>
  /** Ends the session, and goes. */
  leave(grace: number): Promise<void>
}

type Outputs = Partial<Record<Stream, Output>>

const openOutputs = ({ directory, terminal }: Opening): Outputs => {
  const { scrollback, stdout, stderr } = placesOf(directory)
  if (terminal !== null) return { terminal: openScrollback(scrollback) }
  return { stdout: openSpool(stdout, spoolLimit), stderr: openSpool(stderr, spoolLimit) }
}

const extents = (outputs: Outputs): Partial<Record<Stream, Extent>> =>
  Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output.extent()]))

const prepare = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const before = await readCard(directory)
  if (before !== undefined && alive(before)) fail('keeper_running', { pid: before.pid, directory })
  // Of the session before; what is there from now on is ours.
  await rm(placesOf(directory).exit, { force: true })
}

/** The guard is up already: nothing else here takes as long. */
export const keep = async (opening: Opening, guard: Guard): Promise<Kept> => {
  const { agent, session, directory } = opening
  const { cookie } = guard
  const places = placesOf(directory)
  await prepare(directory)
  const log = openLog({
    file: places.log,
    component: 'keeper',
    level: () => 'info',
    now: () => new Date(),
    secrets: [opening.hookToken, opening.telemetryToken],
  })
  const outputs = openOutputs(opening)
  const outbox = openOutbox(opening.host)
  const masking = openMasking()
  const typing = openTyping({
    agent,
    waiting: () => listener.waiting(),
    launch: () => (life.state() === 'running' && life.child() !== null ? life.launches() : undefined),
    turn: (length, use) => life.turn(length, use),
  })
  const listener = await openListener(opening, outbox, typing, masking)
  guard.onLost(() => log.warn('the guard was killed and is replaced'))
  const pipes = pipesIn(directory)
  const socket = await socketPath(places.socket)
  const self = identify(process.pid) ?? { pid: process.pid, started: '' }
  const card: Card = {
    protocol,
    version,
    agent,
    session,
    ...self,
    socket: socket.path,
    port: listener.port,
    cookie,
  }
  let timer: NodeJS.Timeout | undefined
  let caller: Launch['caller']
  let go = (_: boolean): void => {}
  const gone = new Promise<boolean>((resolve) => {
    go = resolve
  })

  let pasting = notPasting
  const put = (stream: Stream, bytes: Uint8Array): void => {
    const output = outputs[stream]
    if (output === undefined || bytes.length === 0) return
    control.printed(output, output.append(bytes) ? bytes : undefined)
  }
  const life = openLife({
    cookie,
    size: opening.terminal,
    directory,
    guard,
    pipes: pipes.take,
    doors: openDoors(directory, listener.admit),
    log,
    mask: masking.text,
    printed: (stream, bytes) => {
      // A person at the terminal sees what is there.
      if (stream !== 'terminal') return put(stream, masking.bytes(stream, bytes))
      pasting = hearPasting(pasting, bytes)
      put(stream, bytes)
    },
    ended: (exit) => {
      for (const stream of ['stdout', 'stderr'] as const) put(stream, masking.rest(stream))
      control.ended(exit)
      goAfter(afterlife)
    },
  })

  const windows = openWindows(life.size, life.resize)
  const busy = (): boolean => life.state() === 'running' || life.state() === 'ending'

  const status = (): Status => ({
    card,
    state: life.state(),
    launches: life.launches(),
    child: life.child(),
    size: life.size(),
    output: extents(outputs),
    exit: life.state() === 'running' ? null : life.exit(),
    attached: control.clients().filter((client) => client.attached()).length,
    stamp: typing.stamp(),
    hooksWaiting: listener.waiting(),
    pastes: pasting.on,
    telemetryDropped: outbox.dropped(),
  })

  const attach = ({ stream, from, size }: Request & { do: 'attach' }, client: Client) => {
    const output = outputs[stream] ?? fail('keeper_state', { why: `the session has no ${stream}` })
    if (client.attached()) fail('keeper_state', { why: 'this connection is attached already' })
    const { from: oldest, to } = output.extent()
    const start = from === 'end' ? to : Math.min(Math.max(from, oldest), to)
    client.attach(output, start)
    windows.active(client, size)
    const exit = life.exit()
    // After the answer to this request has been said.
    if (life.state() === 'ended' && exit !== null) setImmediate(() => client.ended(exit))
    return { from: start, size: life.size() }
  }

  const launch = async ({ launch: order }: Request & { do: 'launch' }): Promise<Launched> => {
    const output = extents(outputs)
    clearTimeout(timer)
    try {
      pasting = notPasting
      masking.add(order.secrets ?? [])
      const child = await life.launch(order)
      caller = order.caller ?? caller
      return { launch: life.launches(), ...child, output }
    } catch (error) {
      goAfter(opening.launchDeadline)
      throw error
    }
  }

  const typed = async (bytes: Buffer, client: Client): Promise<void> => {
    typing.moved()
    windows.active(client)
    await life.input(bytes)
    control.typed(client, bytes)
  }

  const handle = async (request: Request, client: Client): Promise<unknown> => {
    switch (request.do) {
      case 'status':
        return status()
      case 'launch':
        return launch(request)
      case 'recall':
        return {
          caller: caller ?? null,
          hookToken: opening.hookToken,
          telemetryToken: opening.telemetryToken,
        } satisfies Recalled
      case 'attach':
        return attach(request, client)
      case 'input':
        return client.attached()
          ? fail('keeper_state', { why: 'whoever is attached types by frames' })
          : life.input(Buffer.from(request.base64, 'base64'))
      case 'type':
        return typing.type(request)
      case 'typed':
        return { typed: typing.begun(request.keys) }
      case 'resize':
        return windows.active(client, request.size)
      case 'signal':
        return life.signal(request.name)
      case 'end':
        return life.end(request.grace)
      case 'release':
        if (busy()) fail('keeper_state', { why: 'the session still runs' })
        setImmediate(finish, request.stay)
        return null
    }
  }

  const control = await openControl(
    socket.path,
    { hello: { protocol, ...self } },
    {
      handle,
      typed,
      left: windows.left,
      broken: (error) => log.error('a request failed', { why: masking.text(String(error)) }),
    },
  )
  await writeFleeting(places.card, `${JSON.stringify(card)}\n`)

  const close = async (stays: boolean): Promise<void> => {
    clearTimeout(timer)
    guard.dismiss()
    await pipes.close()
    listener.close()
    await outbox.close()
    await control.close()
    await rm(places.card, { force: true })
    await socket.release()
    for (const output of Object.values(outputs)) output.close()
    log.info('released')
    log.close()
    go(stays)
  }
  let finishing = false
  const finish = (stays = false): void => {
    // Launched in the same moment: whoever holds a child stays.
    if (finishing || busy()) return
    finishing = true
    void close(stays)
  }
  const goAfter = (milliseconds: number): void => {
    clearTimeout(timer)
    timer = setTimeout(finish, milliseconds)
  }
  // Whoever opened it may have died before the launch.
  goAfter(opening.launchDeadline)
  // When it has been said that it is open: whoever hears that has something to do before the launch.
  if (opening.terminal === null) setImmediate(pipes.make)

  return {
    card,
    log,
    gone,
    leave: async (grace) => {
      await life.end(grace)
      finish()
    },
  }
}
