// A keeper as its clients see it.
import { failure } from '../base/error/fail.ts'
import { type Connection, connect } from './connect.ts'
import type { Found } from './find.ts'
import {
  attached,
  begun,
  type Exit,
  exit,
  type Launch,
  type Launched,
  launched,
  type Recalled,
  type Request,
  recalled,
  type Size,
  type Status,
  type Step,
  type Stream,
  status,
  type Typed,
  type Typing,
  typing,
} from './schema.ts'

/** What is typed as one, and what its author had seen. */
export type Message = {
  /** Never typed twice. */
  readonly key: string
  /** From `status`, or from the answer before. */
  readonly stamp: number
  readonly steps: readonly (Uint8Array | { readonly pause: number })[]
}

type SignalName = (Request & { do: 'signal' })['name']

export type Keeper = {
  readonly found: Found
  status(): Promise<Status>
  /** Again after the end: without `env` it gets that of the launch before. */
  launch(order: Launch): Promise<Launched>
  /** What another launch needs: held by nobody else. */
  recall(): Promise<Recalled>
  /** Resolves when the terminal has taken all of it. */
  input(bytes: Uint8Array): Promise<void>
  /** Resolves when the terminal has taken all of it, or nothing: `before` and `refused`. */
  type(message: Message): Promise<Typing>
  /** Which of these keys were begun. */
  typed(keys: readonly string[]): Promise<readonly string[]>
  resize(size: Size): Promise<void>
  signal(name: SignalName): Promise<void>
  /** TERM, `grace` milliseconds, KILL. Resolves when nothing is left, or with what is; null = never launched. */
  end(grace: number): Promise<Exit | null>
  /** Lets the keeper of an ended session go; told to stay, its process waits for another one. */
  release(stay?: boolean): Promise<void>
  attach(view: View): Promise<Attached>
  /** Called once for each launch that ends from now on; to miss none, listen before the launch. */
  onEnded(hear: (exit: Exit) => void): void
  /** A person at an attached terminal has typed. */
  onTyped(hear: (typed: Typed) => void): void
  onClosed(hear: () => void): void
  close(): void
}

export type View = {
  readonly stream: Stream
  /** A count of bytes, or only what comes from now on. */
  readonly from: number | 'end'
  /** The client's window: the terminal takes the size of whoever was active last. */
  readonly size?: Size
  /** Told when what is typed is refused, because the program does not read, and when it is taken again. */
  readonly full?: (full: boolean) => void
}

/** How a view ended: with the session, or because this client was too slow, or the keeper is gone. */
export type Over =
  | { readonly kind: 'ended'; readonly exit: Exit }
  | { readonly kind: 'cut'; readonly missed: number }
  | { readonly kind: 'closed' }

export type Attached = {
  readonly from: number
  readonly size: Size | null
  /** Ends when the view is over; whoever reads slowly is read to slowly. */
  readonly output: AsyncIterable<Buffer>
  readonly over: Promise<Over>
  input(bytes: Uint8Array): void
  resize(size: Size): Promise<void>
  close(): void
}

const inputOf = (bytes: Uint8Array) => ({
  do: 'input' as const,
  base64: Buffer.from(bytes).toString('base64'),
})

const stepOf = (step: Message['steps'][number]): Step =>
  step instanceof Uint8Array ? { base64: Buffer.from(step).toString('base64') } : step

/** Beyond this the socket is left unread. */
const readAhead = 256 * 1024

/** Pieces in, pieces out, with a way to tell the source to wait. */
const channel = (pause: () => void, resume: () => void) => {
  let pieces: Buffer[] = []
  let held = 0
  let over = false
  let wake = (): void => {}
  return {
    put: (bytes: Buffer) => {
      pieces.push(bytes)
      held += bytes.length
      if (held > readAhead) pause()
      wake()
    },
    end: () => {
      over = true
      wake()
    },
    async *read(): AsyncGenerator<Buffer> {
      for (;;) {
        const ready = pieces
        pieces = []
        held = 0
        resume()
        yield* ready
        if (pieces.length > 0) continue
        if (over) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const attach = async (found: Found, { full, ...view }: View): Promise<Attached> => {
  let connection: Connection | undefined
  let finish = (_: Over): void => {}
  const over = new Promise<Over>((resolve) => {
    finish = resolve
  })
  const pieces = channel(
    () => connection?.pause(),
    () => connection?.resume(),
  )
  const end = (how: Over): void => {
    finish(how)
    pieces.end()
  }
  const line = await connect(found, {
    bytes: pieces.put,
    over: (exit) => end({ kind: 'ended', exit }),
    ...(full && { full }),
    cut: (missed) => end({ kind: 'cut', missed }),
    closed: () => end({ kind: 'closed' }),
  })
  connection = line
  // A view is of one launch; whoever wants the next attaches again.
  void over.then(line.close)
  const reply = attached.parse(await line.ask({ do: 'attach', ...view }))
  return {
    ...reply,
    output: pieces.read(),
    over,
    input: line.type,
    resize: async (size) => void (await line.ask({ do: 'resize', size })),
    close: line.close,
  }
}

export const reachKeeper = async (found: Found): Promise<Keeper> => {
  const ended: ((exit: Exit) => void)[] = []
  const typed: ((typed: Typed) => void)[] = []
  const closed: (() => void)[] = []
  const line = await connect(found, {
    ended: (how) => {
      for (const hear of ended) hear(how)
    },
    typed: (what) => {
      for (const hear of typed) hear(what)
    },
    closed: () => {
      for (const hear of closed) hear()
    },
  })
  const read = <T>(
    schema: { safeParse(value: unknown): { data?: T | undefined; success: boolean } },
    value: unknown,
  ): T => {
    const parsed = schema.safeParse(value)
    if (!parsed.success)
      throw failure('keeper_gone', { agent: found.agent, why: 'it answered something unknown' })
    return parsed.data as T
  }
  return {
    found,
    status: async () => read<Status>(status, await line.ask({ do: 'status' })),
    launch: async (order) => read<Launched>(launched, await line.ask({ do: 'launch', launch: order })),
    recall: async () => read<Recalled>(recalled, await line.ask({ do: 'recall' })),
    input: async (bytes) => void (await line.ask(inputOf(bytes))),
    type: async ({ key, stamp, steps }) =>
      read<Typing>(typing, await line.ask({ do: 'type', key, stamp, steps: steps.map(stepOf) })),
    typed: async (keys) =>
      read<{ typed: string[] }>(begun, await line.ask({ do: 'typed', keys: [...keys] })).typed,
    resize: async (size) => void (await line.ask({ do: 'resize', size })),
    signal: async (name) => void (await line.ask({ do: 'signal', name })),
    end: async (grace) => read<Exit | null>(exit.nullable(), await line.ask({ do: 'end', grace })),
    release: async (stay = false) => void (await line.ask({ do: 'release', stay })),
    attach: (view) => attach(found, view),
    onEnded: (hear) => void ended.push(hear),
    onTyped: (hear) => void typed.push(hear),
    onClosed: (hear) => void closed.push(hear),
    close: line.close,
  }
}
