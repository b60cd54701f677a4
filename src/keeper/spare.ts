// Keepers that are up before anybody needs them: starting one takes longer than all the rest of a launch. One that has
// done its work waits for the next session; all that it runs is compiled by then.
import type { Keeper } from './reach.ts'
import { type Order, type Program, type Spare, spareKeeper } from './start.ts'

export type Spares = {
  open(opening: Order): Promise<Keeper>
  /** Takes back the keeper of an ended session; false = it is not ours, or not needed: release it. */
  reuse(keeper: Keeper): Promise<boolean>
  close(): void
}

/** So many wait at most; all but one of them only for a while. */
const most = 16
const idle = 60_000
/** What a process gathers over time goes with it. */
const longest = 100
/** The next one is started when whatever the last one was needed for has begun: both would be slower at once. */
const calm = 1_000

type Worn = { readonly spare: Spare; uses: number }

export const sparesOf = (program: Program): Spares => {
  const waiting: Worn[] = []
  /** By the cookies of what they keep. */
  const lent = new Map<string, Worn>()
  let starting: Promise<Worn | undefined> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const start = async (): Promise<Worn> => ({ spare: await spareKeeper(program), uses: 0 })

  const prepare = (): void => {
    if (closed || starting !== undefined || waiting.length > 0) return
    // What prevents a spare one will be told when a keeper is needed.
    starting = start().catch(() => undefined)
  }
  prepare()

  const prepareLater = (): void => {
    clearTimeout(timer)
    timer = setTimeout(prepare, calm).unref()
  }

  /** No pause in here: of several at once only one may have it. */
  const take = (): Worn | Promise<Worn | undefined> | undefined => {
    const taken = waiting.pop() ?? starting
    if (taken === starting) starting = undefined
    prepareLater()
    return taken
  }

  const lend = async (worn: Worn, opening: Order): Promise<Keeper> => {
    const keeper = await worn.spare.lend(opening)
    worn.uses += 1
    if (closed) worn.spare.close()
    else lent.set(keeper.found.cookie, worn)
    return keeper
  }

  const dropIdle = (worn: Worn): void => {
    const place = waiting.indexOf(worn)
    if (place === -1 || waiting.length < 2) return
    waiting.splice(place, 1)
    worn.spare.close()
  }

  const rest = (worn: Worn): void => {
    waiting.push(worn)
    setTimeout(dropIdle, idle, worn).unref()
  }

  return {
    open: async (opening) => {
      const worn = await take()
      // It may have been killed while it waited.
      const keeper = worn && (await lend(worn, opening).catch(() => undefined))
      return keeper ?? lend(await start(), opening)
    },
    reuse: async (keeper) => {
      const worn = lent.get(keeper.found.cookie)
      if (worn === undefined) return false
      lent.delete(keeper.found.cookie)
      if (closed || worn.uses >= longest || waiting.length >= most) {
        worn.spare.close()
        return false
      }
      await keeper.release(true)
      keeper.close()
      if ((await worn.spare.back()) && !closed) rest(worn)
      else worn.spare.close()
      return true
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      for (const { spare } of [...waiting.splice(0), ...lent.values()]) spare.close()
      lent.clear()
      void starting?.then((worn) => worn?.spare.close())
    },
  }
}
