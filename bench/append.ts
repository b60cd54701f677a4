// Appends a second, by one process and by eight, against bare SQLite with the same safety.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crowd } from '../soak/crowd.ts'
import { interleaved, median, type Row } from './frame.ts'

const raw = async (processes: number, count: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-raw-'))
  const run = async (times: number): Promise<void> => {
    const child = spawn(process.execPath, ['build/raw.js', join(folder, 'db'), String(times)], {
      stdio: 'inherit',
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`raw.js ended with ${code}`)
  }
  try {
    await run(0)
    const from = performance.now()
    await Promise.all(Array.from({ length: processes }, () => run(count)))
    return performance.now() - from
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

export const appendRows = async (rounds: number, count: number): Promise<Row[]> => {
  const rows: Row[] = []
  for (const processes of [1, 8]) {
    const each = Math.ceil(count / processes)
    const times = await interleaved(rounds, {
      ours: () => crowd(processes, each),
      bare: () => raw(processes, each),
    })
    const rate = (took: readonly number[]): number => (processes * each) / (median(took) / 1000)
    rows.push({
      name: `appends by ${processes} process${processes > 1 ? 'es' : ''}`,
      value: rate(times.ours),
      floor: rate(times.bare),
      floorName: 'bare SQLite, same safety',
      unit: '/s',
      more: 'better',
    })
  }
  return rows
}
