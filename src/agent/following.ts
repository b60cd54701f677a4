// Follows the transcript of a terminal session, and remembers how far it was heard.
import type { Driver } from '../driver/driver.ts'
import type { HookEvent } from '../driver/schema.ts'
import { saveHeard } from '../session/heard.ts'
import { stateOf } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import { openTail, type Place, type Tail } from '../session/tail.ts'
import { isTranscript } from './rules.ts'

export type FollowingOptions = {
  /** Absent for an unmanaged agent: nothing is followed. */
  readonly driver?: Driver | undefined
  /** From where it is heard. */
  readonly place?: Place | undefined
  /** Of the session. */
  readonly directory: string
  readonly session: () => Session
  readonly tell: (signal: Signal) => void
  /** Resolves when what was recorded is on the disk; false = it is not. */
  readonly written: () => Promise<boolean>
}

export type Following = {
  /** There is one to follow. */
  readonly on: boolean
  /** A hook names the file that it goes on in. */
  heard(event: HookEvent): void
  /** Something begins. */
  hurry(): void
  close(): Promise<void>
}

/** How often it is looked at: soon while something goes on, now and then otherwise. */
const pauses = { busy: 300, quiet: 3_000 }

export const followingOf = (options: FollowingOptions): Following => {
  const { driver, place, directory, session, tell, written } = options
  const known = place?.path
  // What was heard must be on the disk before its place is: skipped by the next host, it would never be known.
  let saved: Promise<void> = Promise.resolve()
  const tail: Tail | undefined =
    driver &&
    place &&
    openTail({
      from: place,
      line: (text) => {
        for (const event of driver.readTranscript(text)) tell({ from: 'transcript', event })
      },
      moved: (to) => {
        const { told, fresh } = session()
        const heard = { ...to, ...(told !== undefined && { told }), ...(fresh && { fresh }) }
        saved = saved.then(written).then((kept) => {
          if (kept) saveHeard(directory, heard)
        })
      },
      pause: () => (stateOf(session()).name === 'idle' ? pauses.quiet : pauses.busy),
    })
  const files = new Set([known])
  return {
    on: tail !== undefined,
    heard: (event) => {
      // A late hook of an earlier conversation must not lead back to it.
      if (!known || files.has(event.transcript) || !isTranscript(event.transcript, known)) return
      files.add(event.transcript)
      // `/clear` begins another file, told by any hook that follows. What a resumed session said before was heard then.
      const resumed = event.kind === 'session_started' && event.source === 'resume'
      tail?.follow(event.transcript, resumed ? 'end' : 'start')
    },
    hurry: () => tail?.hurry(),
    close: async () => {
      await tail?.close()
      await saved
    },
  }
}
