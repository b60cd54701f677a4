// Every statement the store knows. Each function here is synchronous and runs inside its caller's transaction.
import { nounOf } from '../journal/rules.ts'
import type { Event, Kept, Reduce } from '../journal/schema.ts'
import type { Database, Row } from './engine.ts'
import type { Entry } from './entry.ts'
import type { Fields, Outline, Page } from './store.ts'

const keptOf = (row: Row): Kept => ({
  subject: row.subject as string,
  seq: row.seq as number,
  state: JSON.parse(row.state as string),
})

const eventOf = (row: Row): Event => ({ ...row, data: JSON.parse(row.data as string) }) as Event

/** In the words of the index: others would be answered too, but by reading everything. */
export const outlineOf = (noun: string, fields: Fields): string => {
  if (![noun, ...fields].every((word) => /^[a-z]+$/i.test(word))) throw new Error('no such field')
  const paths = fields.map((field) => `'$.${field}'`).join(', ')
  return `select subject, json_extract(state, ${paths}) as found from state where noun = '${noun}'`
}

export const tablesOf = (db: Database, reduce: (noun: string) => Reduce) => {
  const insert = db.prepare('insert into journal (at, kind, type, subject, data) values (?, ?, ?, ?, ?)')
  const save = db.prepare(
    `insert into state (subject, noun, seq, state) values (?, ?, ?, ?)
     on conflict (subject) do update set seq = excluded.seq, state = excluded.state`,
  )
  const forget = db.prepare('delete from state where subject = ?')
  const one = db.prepare('select subject, seq, state from state where subject = ?')
  const all = db.prepare('select subject, seq, state from state order by subject')
  const ofNoun = db.prepare('select subject, seq, state from state where noun = ? order by subject')
  const columns = 'select seq, at, kind, type, subject, data from journal'
  const page = db.prepare(`${columns} where seq > ? order by seq limit ?`)
  const pageOf = db.prepare(`${columns} where subject = ? and seq > ? order by seq limit ?`)
  // The journal's own last seq may have been pruned.
  const last = db.prepare("select seq from sqlite_sequence where name = 'journal'")
  const prune = db.prepare(
    `delete from journal where seq in
     (select seq from journal where kind = 'activity' and seq < ? order by seq limit ?)`,
  )

  // The index alone answers the first; the second has to read each event.
  const events = db.prepare('select count(*) as found from journal where subject = ?')
  const count = db.prepare("select count(*) as found from journal where subject = ? and kind = 'activity'")
  const trim = db.prepare(
    `delete from journal where seq in
     (select seq from journal where subject = ? and kind = 'activity' order by seq limit ?)`,
  )

  const load = (subject: string): Kept | undefined => {
    const row = one.get(subject)
    return row && keptOf(row)
  }

  // State and data go through JSON each time, so that a reducer sees here what a replay will show it.
  const fold = (event: Event): void => {
    const { seq, subject } = event
    const noun = nounOf(subject)
    const state = reduce(noun)(load(subject)?.state, event)
    if (state === undefined) forget.run(subject)
    else save.run(subject, noun, seq, JSON.stringify(state))
  }

  const record = (at: string, { kind, type, subject, data }: Entry): Event => {
    const seq = Number(insert.run(at, kind, type, subject, data).lastInsertRowid)
    const event = (): Event => ({ seq, at, kind, type, subject, data: JSON.parse(data) })
    if (kind === 'state') fold(event())
    return event()
  }

  return {
    load,
    record,
    list: (noun: string | undefined): Kept[] =>
      (noun === undefined ? all.all() : ofNoun.all(noun)).map(keptOf),
    outline: (noun: string, fields: Fields): Outline[] =>
      db
        .prepare(outlineOf(noun, fields))
        .all()
        .map((row) => ({
          subject: row.subject as string,
          values: JSON.parse(row.found as string) as unknown[],
        })),
    events: ({ after, limit, subject }: Page): Event[] =>
      (subject === undefined ? page.all(after, limit) : pageOf.all(subject, after, limit)).map(eventOf),
    last: (): number => (last.get()?.seq as number | undefined) ?? 0,
    prune: (before: number, most: number): number => Number(prune.run(before, most).changes),
    holds: (subject: string, more: number): boolean => (events.get(subject)?.found as number) > more,
    count: (subject: string): number => count.get(subject)?.found as number,
    trim: (subject: string, most: number): number => Number(trim.run(subject, most).changes),
  }
}
