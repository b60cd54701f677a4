// One scripted agent at a real terminal, as somebody sees it who does not ask the host: its processes, what it
// printed, what its own transcript says, and what its calls left on the disk.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEntry } from '../src/agent/api.ts'
import { alive, type Identity, identify } from '../src/base/process/identity.ts'
import { layout } from '../src/config/layout/rules.ts'
import { findKeeper, placesOf } from '../src/keeper/find.ts'
import { members } from '../src/keeper/members.ts'
import { readScrollback } from '../src/keeper/output.ts'
import { type Keeper, reachKeeper } from '../src/keeper/reach.ts'
import { readHeard } from '../src/session/heard.ts'
import { demand, settled } from './demand.ts'
import { asking, type Ground, type Said } from './ground.ts'

export type Call = { readonly id: string; readonly mark: string }

export type Agent = {
  readonly name: string
  readonly session: string
  readonly keeper: Keeper
  readonly child: Identity
  /** Types a line at its terminal. */
  type(line: string): Promise<void>
  /** When a call left its mark, in ms since 1970; once for each time that it ran. */
  ran(mark: string): readonly number[]
  /** Marks in the order in which they were left. */
  marks(): readonly string[]
  /** The calls of its transcript that have a result; fails if one was refused. */
  calls(): readonly Call[]
  /** Prompts and calls as its terminal showed them. */
  shown(): readonly string[]
  /** What is wrong with its processes. */
  trouble(): string | undefined
}

/** Where an agent of this name works. */
export const workOf = ({ root }: Ground, name: string): string => join(root, '..', 'work', name)

export const runAgent = (ground: Ground, name: string, scenario: string): Promise<Said> => {
  const cwd = workOf(ground, name)
  mkdirSync(cwd, { recursive: true })
  const words = ['run', '--role', 'busy', '--name', name, '--detach', '--json']
  return asking(ground, words, { cwd, env: { AGENCY_SCENARIO: scenario } })
}

type Block = {
  readonly type: string
  readonly id?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly is_error?: boolean
  readonly content?: unknown
}
type Line = { readonly message?: { readonly content?: string | readonly Block[] } }

const markIn = (text: string): string => /t\d+-s\d+/.exec(text)?.[0] ?? text

/** The calls of a transcript as it grows. */
const callsIn = (name: string, path: string) => {
  const asked = new Map<string, string>()
  const over: Call[] = []
  let at = 0
  const hear = (block: Block): void => {
    if (block.type === 'tool_use' && block.id !== undefined)
      asked.set(block.id, markIn(JSON.stringify(block.input)))
    if (block.type !== 'tool_result' || block.tool_use_id === undefined) return
    const mark = asked.get(block.tool_use_id) ?? block.tool_use_id
    demand(block.is_error !== true, `${name}: the call ${mark} was refused: ${JSON.stringify(block.content)}`)
    over.push({ id: block.tool_use_id, mark })
  }
  return (): readonly Call[] => {
    const size = existsSync(path) ? statSync(path).size : 0
    if (size <= at) return over
    const piece = Buffer.alloc(size - at)
    const handle = openSync(path, 'r')
    readSync(handle, piece, 0, piece.length, at)
    closeSync(handle)
    const whole = piece.subarray(0, piece.lastIndexOf('\n') + 1)
    at += whole.length
    for (const line of whole.toString('utf8').split('\n').filter(Boolean)) {
      const content = (JSON.parse(line) as Line).message?.content
      if (typeof content === 'object') content.forEach(hear)
    }
    return over
  }
}

/** The clock of a file system is behind by up to one tick of the kernel. */
const tick = 10

const shownIn = /> (turn \d+\.)\r\n|● (?:Bash|Write)\([^\r\n]*(t\d+-s\d+)[^\r\n]*\)\r\n/g

/** The agent that this entry of `agency list` tells of. */
export const meetAgent = async (ground: Ground, entry: AgentEntry): Promise<Agent> => {
  const { name, session } = entry
  const directory = layout(ground.root).session(name)
  const found = await findKeeper(directory)
  demand(found !== undefined && found.pid === entry.keeper, `${name} has another keeper than the list says`)
  const child = identify(entry.pid ?? 0)
  demand(child !== undefined, `${name} has no process`)
  const heard = await readHeard(directory)
  demand(heard !== undefined, `nobody knows the transcript of ${name}`)
  const keeper = await reachKeeper(found)
  const work = workOf(ground, name)
  const screen = (): string => readScrollback(placesOf(directory).scrollback).toString('utf8')
  const lines = (): readonly (readonly string[])[] =>
    existsSync(join(work, 'marks'))
      ? readFileSync(join(work, 'marks'), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(' '))
      : []
  await settled(() => (screen().includes('❯') ? undefined : `${name} shows no prompt`))
  return {
    name,
    session,
    keeper,
    child,
    type: (line) => keeper.input(Buffer.from(`${line}\r`)),
    ran: (mark) => {
      const file = join(work, 'written', mark)
      if (existsSync(file)) return [statSync(file).mtimeMs + tick]
      return lines().flatMap(([left, at]) => (left === mark ? [Number(at) * 1000] : []))
    },
    marks: () => lines().map(([mark = '']) => mark),
    calls: callsIn(name, heard.path),
    shown: () => [...screen().matchAll(shownIn)].map(([, prompt, mark]) => prompt ?? mark ?? ''),
    trouble: () => {
      if (!alive(found)) return `the keeper of ${name} is gone`
      return alive(child) ? undefined : `the process of ${name} is gone`
    },
  }
}

/** Every process of an agent: by the cookie of its keeper. */
export const processesOf = ({ keeper }: Pick<Agent, 'keeper'>): readonly Identity[] =>
  members({ cookie: keeper.found.cookie, except: [] })
