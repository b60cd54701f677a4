// Keepers that are up before anybody needs them: starting one takes longer than all the rest of a launch.
import type { Keeper } from './reach.ts'
import { type Order, type Program, type Spare, spareKeeper, startKeeper } from './start.ts'

export type Spares = {
  open(opening: Order): Promise<Keeper>
  close(): void
}

/** One is kept, and the next is started as soon as it is taken. */
export const sparesOf = (program: Program): Spares => {
  let closed = false
  let next: Promise<Spare | undefined> | undefined

  const prepare = (): void => {
    // What prevents a spare one will be told when a keeper is needed.
    next = closed ? undefined : spareKeeper(program).catch(() => undefined)
  }
  prepare()

  return {
    open: async (opening) => {
      // No pause between the two: of several at once only one may have it.
      const taken = next
      prepare()
      const spare = await taken
      // It may have been killed while it waited.
      return spare === undefined
        ? startKeeper({ program, opening })
        : spare.open(opening).catch(() => startKeeper({ program, opening }))
    },
    close: () => {
      closed = true
      void next?.then((spare) => spare?.close())
      next = undefined
    },
  }
}
