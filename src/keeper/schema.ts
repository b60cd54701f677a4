// What is said between a keeper, whoever starts it, and its clients. A keeper outlives the host that started
// it, so a newer host meets this form in older keepers: it is changed by raising `protocol`, never in place.
import * as z from 'zod'
import { keptWalls } from '../sandbox/relay/schema.ts'

export const protocol = 3

/** A day is far beyond any hold, and far below where timers overflow. */
const milliseconds = z.int().positive().max(604_800_000)

export const size = z.object({ columns: z.int().min(1).max(1000), rows: z.int().min(1).max(1000) })
export type Size = z.infer<typeof size>

/** `body: null` = no opinion. The first one whose `when` equals the input's own fields is taken. */
const denial = z.object({
  when: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.json(),
})
const eventPolicy = z.object({ deadline: milliseconds, denials: z.array(denial) })

/** How this CLI's hooks are read and refused, as data: the keeper knows no CLI. */
export const hookPolicy = z.object({
  /** The field of a hook's input that names its event. */
  field: z.string().min(1),
  /** Fields by which is decided or told who speaks: they go on as they came, the others without their secrets. */
  whole: z.array(z.string()).optional(),
  events: z.record(z.string(), eventPolicy),
  otherwise: eventPolicy,
})
export type HookPolicy = z.infer<typeof hookPolicy>

const token = z.string().min(16)

/** The first and only thing a keeper is told on its stdin. */
export const opening = z.object({
  protocol: z.literal(protocol),
  agent: z.string().min(1),
  session: z.string().min(1),
  /** Of this session, for its life: identity, socket, output and exit lie there. */
  directory: z.string().startsWith('/'),
  /** The size of its terminal; null = headless. */
  terminal: size.nullable(),
  /** The host's unix socket. */
  host: z.string().startsWith('/'),
  hookToken: token,
  telemetryToken: token,
  hooks: hookPolicy,
  /** Without a launch within this time it was forgotten, and goes. */
  launchDeadline: milliseconds,
})
export type Opening = z.infer<typeof opening>

const identity = z.object({ pid: z.int().positive(), started: z.string().min(1) })

/** `keeper.json`: who keeps the session and where to reach it. */
export const card = z.object({
  protocol: z.int(),
  version: z.string(),
  agent: z.string(),
  session: z.string(),
  ...identity.shape,
  socket: z.string(),
  port: z.int(),
  /** In the environment of everything the session starts, by which it is found again. */
  cookie: z.string(),
})
export type Card = z.infer<typeof card>

/** What a keeper reports on its stdout before it is let go. */
export const report = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ opened: card }),
  z.object({ failed: z.string() }),
])
export type Report = z.infer<typeof report>

export const launch = z.object({
  argv: z.array(z.string()).min(1),
  /** Absent = that of the launch before: the only place where it was kept. */
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().startsWith('/'),
  /** Written to a headless child's stdin, which is then closed. */
  stdin: z.string().optional(),
  /**
   * What the child may know and nobody may read in what it tells, or prints where no person sits before it. Only ever in
   * the keeper's memory.
   */
  secrets: z.array(z.string()).optional(),
  /** The environment of whoever launched it: the same launch can be planned anew from it. Only ever in memory. */
  caller: z.record(z.string(), z.string()).optional(),
  /** `argv` makes walls, and these are the doors in them. An older keeper opens none, and such walls then fail. */
  walls: keptWalls.optional(),
})
export type Launch = z.infer<typeof launch>

const survivor = z.object({ ...identity.shape, command: z.string() })
export type Survivor = z.infer<typeof survivor>

/** `exit.json`: how a launch ended. */
export const exit = z.object({
  /** 1 for the first launch of this keeper, 2 for the next. */
  launch: z.int().positive(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
  at: z.iso.datetime(),
  /** Somebody asked for the end. */
  asked: z.boolean(),
  /** It had to be killed after the grace. */
  forced: z.boolean(),
  /** What the session left and nothing could end; null = not looked yet. */
  left: z.array(survivor).nullable(),
})
export type Exit = z.infer<typeof exit>

export const stream = z.enum(['terminal', 'stdout', 'stderr'])
export type Stream = z.infer<typeof stream>

/** Output is counted in bytes from the session's start; before `from` it is no longer kept. */
const extent = z.object({ from: z.int(), to: z.int(), dropped: z.int() })
export type Extent = z.infer<typeof extent>

export const status = z.object({
  card,
  state: z.enum(['opened', 'running', 'ending', 'ended']),
  launches: z.int(),
  child: identity.nullable(),
  size: size.nullable(),
  output: z.partialRecord(stream, extent),
  exit: exit.nullable(),
  attached: z.int(),
  /** Grows with every hook that comes and everything a person types: who knows it knows what came before. */
  stamp: z.int(),
  hooksWaiting: z.int(),
  /** The program has asked for bracketed pastes: it reads its input line. */
  pastes: z.boolean(),
  telemetryDropped: z.int(),
})
export type Status = z.infer<typeof status>

export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'] as const

const asked = z.int()

/** Of a message, chosen by whoever types it: the keeper types nothing twice under one key. */
const key = z.string().min(1).max(200)
const step = z.union([
  z.object({ base64: z.base64() }),
  /** Milliseconds in which nobody else gets a byte in. */
  z.object({ pause: z.int().min(0).max(5000) }),
])
export type Step = z.infer<typeof step>

export const request = z.discriminatedUnion('do', [
  z.object({ id: asked, do: z.literal('status') }),
  z.object({ id: asked, do: z.literal('launch'), launch }),
  /** What another launch in this keeper needs and nobody else knows. An older keeper hangs up. */
  z.object({ id: asked, do: z.literal('recall') }),
  /** One for a connection. `from` before what is kept begins with the oldest byte. */
  z.object({
    id: asked,
    do: z.literal('attach'),
    stream,
    from: z.union([z.int().min(0), z.literal('end')]),
    size: size.optional(),
  }),
  /** Answered when the terminal has taken it all. Whoever is attached types by frames of bytes, unanswered. */
  z.object({ id: asked, do: z.literal('input'), base64: z.base64() }),
  /** One message: whole, at once, never twice, and only while `stamp` still is the keeper's own. */
  z.object({
    id: asked,
    do: z.literal('type'),
    key,
    stamp: z.int(),
    steps: z.array(step).min(1).max(20),
  }),
  z.object({ id: asked, do: z.literal('typed'), keys: z.array(key).max(1000) }),
  z.object({ id: asked, do: z.literal('resize'), size }),
  z.object({ id: asked, do: z.literal('signal'), name: z.enum(signals) }),
  /** Answered when nothing is left, or with what is. */
  z.object({ id: asked, do: z.literal('end'), grace: z.int().min(0).max(600_000) }),
  /** The exit was seen: the keeper may go. */
  /** `stay`: the process waits for another opening from whoever started it. */
  z.object({ id: asked, do: z.literal('release'), stay: z.boolean().optional() }),
])
export type Request = z.infer<typeof request>

const fault = z.object({
  code: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})
export type Fault = z.infer<typeof fault>

const typed = z.enum(['text', 'submit', 'escape'])
export type Typed = z.infer<typeof typed>

/** What a keeper says. Output itself goes in frames of bytes. */
export const word = z.union([
  z.object({ hello: z.object({ protocol: z.int(), ...identity.shape }) }),
  z.object({ id: asked, value: z.json() }),
  z.object({ id: asked, fault }),
  /** A launch has ended: said at once to whoever is not attached. */
  z.object({ ended: exit }),
  /** The same to whoever is, after all the output. Another word, because it may attach while the first is said. */
  z.object({ over: exit }),
  /** A person typed: said to whoever is not attached, so that a host knows without looking at the screen. */
  z.object({ typed }),
  /** To whoever types by frames: from here on nothing is taken, or it is again. */
  z.object({ full: z.boolean() }),
  /** The client fell so far behind that `missed` bytes are no longer kept; it may attach again. */
  z.object({ cut: z.object({ missed: z.int() }) }),
])
export type Word = z.infer<typeof word>

export const launched = z.object({
  launch: z.int(),
  ...identity.shape,
  output: z.partialRecord(stream, extent),
})
export type Launched = z.infer<typeof launched>
export const recalled = z.object({
  caller: z.record(z.string(), z.string()).nullable(),
  hookToken: token,
  telemetryToken: token,
})
export type Recalled = z.infer<typeof recalled>
export const attached = z.object({ from: z.int(), size: size.nullable() })

export const typing = z.object({
  /** `before` = begun under this key; `refused` = nothing was typed, and the key is still free. */
  typed: z.enum(['now', 'before', 'refused']),
  stamp: z.int(),
  hooksWaiting: z.int(),
})
export type Typing = z.infer<typeof typing>
export const begun = z.object({ typed: z.array(z.string()) })
