// What walls around an agent let through. All paths are absolute and real; what is not named is not there.
import * as z from 'zod'

export type Access = 'read' | 'write'

/** `from` of this machine is seen as `to`. */
export type Mount = { readonly from: string; readonly to: string; readonly access: Access }

/** What every program needs of this machine, as it is found here; all of it is read-only inside. */
export type System = {
  readonly directories: readonly string[]
  /** Such as /bin, where it is a link to usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
  /** `from` is where a link such as /etc/resolv.conf leads. */
  readonly files: readonly { readonly from: string; readonly to: string }[]
}

export type Network = 'none' | 'proxy' | 'full'

/** A port inside, and the unix socket outside that it leads to. */
export type Door = { readonly port: number; readonly socket: string }

export type Walls = {
  /** In the order in which they are put up: what lies deeper comes later. */
  readonly mounts: readonly Mount[]
  /** Directories that lie within a mount and are empty inside. */
  readonly hidden: readonly string[]
  readonly home: string
  readonly cwd: string
  readonly network: Network
  /** Where a terminal is, there must be no session of its own: neither resize nor Ctrl-C would arrive. */
  readonly terminal: boolean
  readonly doors: readonly Door[]
  readonly limits: {
    readonly tmpBytes: number
    readonly homeBytes: number
    readonly memoryMb?: number | undefined
    readonly processes: number
  }
}

/** The program that makes the walls, and what it can do here. */
export type Builder = {
  readonly kind: 'bubblewrap' | 'seatbelt'
  readonly path: string
  readonly version: string
  /** `env --default-signal` works: what the walls ignore, the program inside hears again. */
  readonly resets: boolean
  /** `systemd-run --user --scope` works: memory and processes can be limited. */
  readonly limits?: { readonly path: string; readonly runtime: string } | undefined
}

export type Trouble = { readonly cause: string; readonly fix: string }

/** `walls.json` of a session: what was made in a tree so that nothing else can be made in its place. */
export const placeholders = z.array(
  z.object({
    path: z.string().startsWith('/'),
    kind: z.enum(['file', 'directory']),
    /** Absent until it was made: then it may be there or not. */
    made: z.object({ device: z.number(), inode: z.number() }).optional(),
  }),
)
export type Placeholder = z.infer<typeof placeholders>[number]
