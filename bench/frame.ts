// A figure here is a ratio against a floor measured in the same run: machines are noisy, ratios less so.
export type Row = {
  readonly name: string
  readonly value: number
  readonly floor: number
  readonly unit: string
  readonly floorName: string
  /** Largest ratio that is promised (or smallest, for rates); absent = shown only. */
  readonly limit?: number
  readonly more?: 'worse' | 'better'
  /** Why there are no figures. */
  readonly absent?: string
}

export const median = (values: readonly number[]): number => percentile(values, 50)

export const percentile = (values: readonly number[], p: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil((p / 100) * sorted.length) - 1))
  return sorted[at] ?? Number.NaN
}

/** Runs the contestants in turn, so that a slow minute of the machine hits all of them. */
export const interleaved = async <Name extends string>(
  rounds: number,
  contestants: Readonly<Record<Name, () => Promise<number> | number>>,
): Promise<Record<Name, number[]>> => {
  const names = Object.keys(contestants) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds + 1; round++) {
    for (const name of names) {
      const took = await contestants[name]()
      if (round > 0) times[name].push(took) // the first round warms caches and is thrown away
    }
  }
  return times
}

export const ratioOf = ({ value, floor }: Row): number => value / floor

export const holds = (row: Row): boolean => {
  if (row.limit === undefined) return true
  return row.more === 'better' ? ratioOf(row) >= row.limit : ratioOf(row) <= row.limit
}

const figure = (value: number, unit: string): string => {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toFixed(digits)} ${unit}`
}

export const table = (rows: readonly Row[]): string => {
  const cells = rows.map((row) =>
    row.absent === undefined
      ? [
          row.name,
          figure(row.value, row.unit),
          `${figure(row.floor, row.unit)} (${row.floorName})`,
          `${ratioOf(row).toFixed(2)}x`,
          row.limit === undefined ? '' : `${row.more === 'better' ? '>=' : '<='} ${row.limit.toFixed(2)}x`,
          row.limit === undefined ? '' : holds(row) ? 'ok' : 'OVER',
        ]
      : [row.name, '', row.absent],
  )
  const all = [['what', 'measured', 'floor', 'ratio', 'promised', ''], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? []
  return all
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
