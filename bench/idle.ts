// What the host costs while nothing happens: processor time and memory, from /proc.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from './frame.ts'
import { end, start } from './program.ts'

const ticks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
const megabytes = (pid: number): number => {
  const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
  return Number(found?.[1] ?? Number.NaN) / 1024
}

export const idleRows = async (
  seconds: number,
  root: string,
  pid: number,
  env: NodeJS.ProcessEnv,
): Promise<Row[]> => {
  const bare = await start(['build/echo.js', `${root}/idle.sock`], env)
  const floor = bare.child.pid ?? 0
  try {
    const before = { host: ticks(pid), floor: ticks(floor) }
    await pause(seconds * 1000)
    // A tick is 10 ms: percent of one processor.
    const percent = (spent: number): number => spent / seconds
    return [
      {
        name: `host idle for ${seconds} s`,
        value: percent(ticks(pid) - before.host),
        floor: Math.max(percent(ticks(floor) - before.floor), 0.1),
        floorName: 'bare node:http, at least 0.1',
        unit: '% CPU',
        limit: 10,
      },
      {
        name: 'host memory',
        value: megabytes(pid),
        floor: megabytes(floor),
        floorName: 'bare node:http',
        unit: 'MB RSS',
        limit: 3,
      },
    ]
  } finally {
    await end(bare)
  }
}
