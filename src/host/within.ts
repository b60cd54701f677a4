// Waits for work, but not for ever once patience is over.

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref())

/** Resolves when `signal` aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** True if the work ended; false if it went on `overstay` ms after `hurry` aborted. */
export const within = (
  work: Promise<void> | undefined,
  hurry: AbortSignal,
  overstay: number,
): Promise<boolean> => {
  if (work === undefined) return Promise.resolve(true)
  const late = aborted(hurry)
    .then(() => pause(overstay))
    .then(() => false)
  return Promise.race([work.then(() => true), late])
}
