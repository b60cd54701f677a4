// npm run soak -- --seed N --rounds M: the long loops, each ending with a figure.
import { parseArgs } from 'node:util'
import { crash } from '../soak/crash.ts'
import { crowd } from '../soak/crowd.ts'
import { race } from '../soak/race.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, rounds: { type: 'string', default: '100' } },
})
const [seed, rounds] = [Number(values.seed), Number(values.rounds)]

try {
  console.log(`crash: ${rounds} rounds of kill -9 under load, seed ${seed}`)
  const { killed, acknowledged } = await crash({ seed, rounds, say: (line) => console.log(`  ${line}`) })
  console.log(`  ${killed} hosts killed, ${acknowledged} acknowledged writes: none lost, none twice`)
  const races = Math.max(1, Math.round(rounds / 5))
  console.log(`race: 20 first commands in a fresh root, ${races} times`)
  await race(races)
  console.log('  one host each time')
  console.log('crowd: 8 processes x 2,000 appends')
  const took = await crowd(8, 2000)
  console.log(`  16,000 appends in ${(took / 1000).toFixed(1)} s: none lost, none twice, replay equal`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
