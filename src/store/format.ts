// The tables of a store, version by version, and whose file it is. Nothing is written before that is known.
import { fail } from '../base/error/fail.ts'
import { type Database, rollback, snapshot } from './engine.ts'
import type { Patiently } from './patience.ts'

/** "agnc", in the header of every file of ours. */
const applicationId = 0x61676e63

/** Step n leads from format n to n + 1. A step that was released is never edited. */
export const steps: readonly string[] = [
  `create table meta (name text primary key, value integer not null) strict;
   insert into meta values ('format', 0), ('voided', 0);
   create table journal (
     seq integer primary key autoincrement,
     at text not null,
     kind text not null check (kind in ('state', 'activity')),
     type text not null,
     subject text not null,
     data text not null
   ) strict;
   create index journal_subject on journal (subject, seq);
   create index journal_activity on journal (seq) where kind = 'activity';
   create table state (
     subject text primary key,
     noun text not null,
     seq integer not null,
     state text not null
   ) strict;
   create index state_noun on state (noun, subject);`,
  // What `outline` asks for, in the same words: answered without reading what the tasks have said.
  `create index state_task on state (noun, subject, json_extract(state, '$.agent', '$.at', '$.state', '$.endedAt'))
   where noun = 'task';`,
]

/** The format of the file, 0 when it is new. Reads only, several things, so in a transaction of its caller. */
const inspect = (db: Database, file: string, known: number): number => {
  const id = db.prepare('pragma application_id').get()?.application_id
  const { tables } = db.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number }
  if (id === 0 && tables === 0) return 0
  if (id !== applicationId) return fail('store_not_ours', { file, why: 'another program made it' })
  const found = db.prepare("select value from meta where name = 'format'").get()?.value
  if (typeof found !== 'number') return fail('store_damaged', { file, why: 'its format is not named' })
  return found > known ? fail('store_newer', { file, found, known }) : found
}

const migrate = (db: Database, file: string, to: readonly string[]): void => {
  db.exec('begin immediate')
  try {
    // Asked again under the lock: another process may have been first.
    const found = inspect(db, file, to.length)
    for (const step of to.slice(found)) db.exec(step)
    // Also where nothing changes: SQLite opens what it cannot write for reading, and tells only now.
    db.exec(`update meta set value = ${to.length} where name = 'format'`)
    db.exec(`pragma application_id = ${applicationId}`)
    db.exec(found === to.length ? 'rollback' : 'commit')
  } catch (error) {
    rollback(db)
    throw error
  }
}

/** Makes a new file ours, brings an old one up to date, refuses every other and what cannot be written. */
export const settle = async (
  db: Database,
  file: string,
  patiently: Patiently,
  to: readonly string[] = steps,
): Promise<void> => {
  // Even a pragma has to wait when it reads the file first.
  const set = (pragmas: string): Promise<void> => patiently(() => db.exec(pragmas))
  // Short: the rest of the waiting is done without blocking.
  await set('pragma busy_timeout = 20; pragma auto_vacuum = none')
  await patiently(() => snapshot(db, () => inspect(db, file, to.length)))
  await set('pragma journal_mode = wal')
  // FULL: a commit is on the disk before it is acknowledged (macOS needs the other two for that).
  await set('pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on')
  // What may be undone is kept in memory. The log is copied into the file while nobody writes; only where somebody
  // always does, in a commit, at 32 MB.
  await set('pragma temp_store = memory; pragma wal_autocheckpoint = 8000')
  await patiently(() => migrate(db, file, to))
}
