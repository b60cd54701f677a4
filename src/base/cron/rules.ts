import { type Civil, type Cron, type Field, fields, macros } from './schema.ts'

type Parsed = { readonly cron: Cron } | { readonly problem: string }
type Values = { readonly values: readonly number[] } | { readonly problem: string }

const number = (text: string, field: Field): number | undefined => {
  if (/^\d{1,2}$/.test(text)) {
    const value = Number(text)
    return value >= field.min && value <= field.max ? value : undefined
  }
  const place = (field.names as readonly string[]).indexOf(text.toLowerCase())
  return place < 0 ? undefined : place + field.min
}

const allowed = (field: Field): string =>
  field.names.length === 0
    ? `${field.min}-${field.max}`
    : `${field.min}-${field.max} or ${field.names[0]}-${field.names.at(-1)}`

const piece = (text: string, field: Field): Values => {
  const wrong = { problem: `${field.name} "${text}" is not understood; it takes ${allowed(field)}` }
  const match = /^(\*|\?|[a-z\d]+)(?:-([a-z\d]+))?(?:\/(\d{1,2}))?$/i.exec(text)
  if (match === null) return wrong
  const [, start = '', end, every] = match
  const star = start === '*' || start === '?'
  if (star && end !== undefined) return wrong
  const step = every === undefined ? 1 : Number(every)
  if (step === 0) return { problem: `${field.name} "${text}" has a step of 0` }
  const first = star ? field.min : number(start, field)
  // "5/15" means from 5 to the end, by 15.
  const open = every === undefined ? first : field.max
  const last = star ? field.max : end === undefined ? open : number(end, field)
  if (first === undefined || last === undefined) return wrong
  if (first > last) return { problem: `${field.name} "${text}" goes backwards` }
  const values: number[] = []
  for (let value = first; value <= last; value += step) values.push(value)
  return { values }
}

const parseField = (text: string, field: Field): Values => {
  const all = new Set<number>()
  for (const part of text.split(',')) {
    const found = piece(part, field)
    if ('problem' in found) return found
    for (const value of found.values) all.add(field.name === 'weekday' ? value % 7 : value)
  }
  return { values: [...all].sort((a, b) => a - b) }
}

const star = (text: string): boolean => text.startsWith('*') || text.startsWith('?')

export const parseCron = (line: string): Parsed => {
  const text = line.trim()
  if (/^(CRON_)?TZ=/.test(text))
    return { problem: 'a time zone belongs in `timezone:`, not in the cron line' }
  if (/^@every\b/i.test(text)) return { problem: '`@every` is not supported; write it as `*/5 * * * *`' }
  const expanded = macros[text.toLowerCase()] ?? text
  const parts = expanded.split(/\s+/)
  if (text.startsWith('@') && expanded === text) {
    return { problem: `"${text}" is not one of ${Object.keys(macros).join(', ')}` }
  }
  if (parts.length !== 5 || text === '') {
    const count = text === '' ? 0 : parts.length
    return { problem: `a cron line has 5 fields (minute hour day month weekday), not ${count}` }
  }
  const values: (readonly number[])[] = []
  for (const [place, field] of fields.entries()) {
    const found = parseField(parts[place] ?? '', field)
    if ('problem' in found) return found
    values.push(found.values)
  }
  const [minute = [], hour = [], day = [], month = [], weekday = []] = values
  const anyDay = star(parts[2] ?? '')
  const anyWeekday = star(parts[4] ?? '')
  return { cron: { minute, hour, day, month, weekday, anyDay, anyWeekday } }
}

const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** True for a line like `0 0 30 2 *`: a search for its next run would never end. */
export const neverHappens = (cron: Cron): boolean => {
  // With both fields given either is enough, and every month has each weekday.
  if (!cron.anyWeekday && !cron.anyDay) return false
  return !cron.month.some((month) => cron.day.some((day) => day <= (longest[month - 1] ?? 0)))
}

const leap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const monthLength = (year: number, month: number): number =>
  month === 2 && !leap(year) ? 28 : (longest[month - 1] ?? 31)

/** 0 = Sunday (Sakamoto's rule). */
const weekdayOf = (year: number, month: number, day: number): number => {
  const y = month < 3 ? year - 1 : year
  const shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0
  return (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + shift + day) % 7
}

const onDay = (cron: Cron, year: number, month: number, day: number): boolean => {
  if (!cron.month.includes(month)) return false
  const byDay = cron.day.includes(day)
  const byWeekday = cron.weekday.includes(weekdayOf(year, month, day))
  return cron.anyDay || cron.anyWeekday ? byDay && byWeekday : byDay || byWeekday
}

/** 29 February can be eight years away (1896, 1904), and must then fall on a weekday: 40 years hold all. */
const horizon = 40

const firstTime = (cron: Cron, from: { hour: number; minute: number }) => {
  for (const hour of cron.hour) {
    if (hour < from.hour) continue
    const minute = cron.minute.find((value) => hour > from.hour || value >= from.minute)
    if (minute !== undefined) return { hour, minute }
  }
  return undefined
}

/** The first time strictly after `after`, on a wall clock without daylight saving; none = never. */
export const nextTime = (cron: Cron, after: Civil): Civil | undefined => {
  if (neverHappens(cron)) return undefined
  let from = { hour: after.hour, minute: after.minute + 1 }
  for (let year = after.year; year <= after.year + horizon; year++) {
    for (let month = year === after.year ? after.month : 1; month <= 12; month++) {
      const start = year === after.year && month === after.month ? after.day : 1
      for (let day = start; day <= monthLength(year, month); day++) {
        const time = onDay(cron, year, month, day) ? firstTime(cron, from) : undefined
        if (time) return { year, month, day, ...time }
        from = { hour: 0, minute: 0 }
      }
    }
  }
  return undefined
}
