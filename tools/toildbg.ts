import { toil } from '../soak/tasks.ts'

toil({
  seed: Number(process.argv[2]),
  kills: Number(process.argv[3] ?? 15),
  tasks: Number(process.argv[4] ?? 40),
  agents: 6,
  say: console.log,
}).then(
  (d) => console.log(JSON.stringify(d)),
  (e) => {
    console.error(e.message)
    process.exit(1)
  },
)
