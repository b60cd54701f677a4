export type Latch = {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: Error): void
}

/** A promise that somebody else keeps. */
export const latch = (): Latch => {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => {}, () => {}]
  const promise = new Promise<void>((keep, breakIt) => {
    resolve = keep
    reject = breakIt
  })
  return { promise, resolve: () => resolve(), reject: (error) => reject(error) }
}
