// The floor of the append rows: bare SQLite with the same safety, two rows in each transaction. `raw FILE COUNT`
import { openDatabase } from '../src/store/engine.ts'

const [file = '', count = '0'] = process.argv.slice(2)
const db = await openDatabase(file)
db.exec('pragma busy_timeout = 110000; pragma journal_mode = wal; pragma synchronous = full')
db.exec(
  'create table if not exists t (n integer primary key, text text); create table if not exists s (k primary key, text)',
)
const insert = db.prepare('insert into t (text) values (?)')
const save = db.prepare('insert into s values (?, ?) on conflict do update set text = excluded.text')
const text = JSON.stringify({ who: 'p0', step: 1, n: 1, at: new Date().toISOString() })
for (let n = 0; n < Number(count); n += 1) {
  db.exec('begin immediate')
  for (const key of ['all', 'p0']) {
    insert.run(text)
    save.run(key, text)
  }
  db.exec('commit')
}
db.close()
