// The host is killed at any moment, by a seed: no task is lost, none is typed twice, and what is told stays true.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { chance } from '../../soak/chance.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { promptsIn } from './messages.ts'
import { ask, give, show } from './tasks.ts'

const finals = ['completed', 'cancelled', 'failed', 'interrupted']
/** Less than the minute after which an agent says that it is idle: until then the host must know it by itself. */
const soon = { ...patience, timeout: 50_000 }

/** Whatever became of the answer before, the same key is the same task. */
const given = async (at: Stage, prompt: string): Promise<string> => {
  let id: string | undefined
  await expect
    .poll(async () => {
      const got = await give(at, { prompt }, { 'idempotency-key': prompt }).catch(() => undefined)
      id = got?.body.task_id
      return got?.status
    }, patience)
    .toBe(201)
  return id ?? expect.fail('it has no id')
}

/** Given, killed, asked again, cancelled, killed. */
export const crash = async (
  make: Make,
  { seed, rounds }: { seed: number; rounds: number },
): Promise<void> => {
  const at = await make({ scripts: [{ replies: [{ text: 'Heard.', delay_ms: 700, times: 0 }] }] })
  await at.run('coder')
  const random = chance(seed)
  const soonOrLate = () => wait(random.below(random.pick([50, 200, 600])))
  const killed = async () => {
    await soonOrLate()
    await at.killHost()
    expect((await at.agency(['start'])).code).toBe(0)
  }
  const over = async (id: string): Promise<string> => {
    let state = 'queued'
    await expect
      .poll(async () => {
        state = await show(at, id).then(
          (task) => task.state,
          () => 'nobody answers',
        )
        return finals.includes(state) ? 'over' : state
      }, soon)
      .toBe('over')
    return state
  }

  const ids: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const prompt = `round ${round}`
    const cancels = round % 2 === 1
    const [first] = await Promise.all([
      give(at, { prompt }, { 'idempotency-key': prompt }).catch(() => undefined),
      killed(),
    ])
    const id = await given(at, prompt)
    if (first?.status === 201) expect(first.body.task_id).toBe(id)
    ids.push(id)
    if (cancels) {
      await soonOrLate()
      await Promise.all([ask(at, 'POST', `/agents/coder/task/${id}/cancel`).catch(() => undefined), killed()])
    }
    expect(cancels ? ['completed', 'cancelled'] : ['completed']).toContain(await over(id))
  }
  const typed = promptsIn(at, 'coder')
  expect(new Set(typed).size).toBe(typed.length)
  const { body } = await ask(at, 'GET', '/agents/coder/history')
  expect(body.tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual(ids.toReversed())
  for (const { state, prompt_preview } of body.tasks)
    if (state === 'completed') expect(typed).toContain(prompt_preview)
}
