// Several people may look at one terminal through windows of different sizes. The window of whoever was active
// last (attached, typed or resized) decides, and stays when everybody has left: the smallest of all would let a
// forgotten phone spoil the screen of the one who works.
import type { Client } from './control.ts'
import type { Size } from './schema.ts'

export const openWindows = (now: () => Size | null, resize: (size: Size) => void) => {
  let order: Client[] = []
  const adapt = (): void => {
    const wanted = order.find(({ size }) => size !== undefined)?.size
    const size = now()
    if (wanted === undefined || size === null) return
    if (wanted.columns !== size.columns || wanted.rows !== size.rows) resize(wanted)
  }
  return {
    active: (client: Client, size = client.size): void => {
      if (order[0] === client && client.size === size) return
      client.size = size
      order = [client, ...order.filter((other) => other !== client)]
      adapt()
    },
    left: (client: Client): void => {
      order = order.filter((other) => other !== client)
      adapt()
    },
  }
}
