// Writes a file whole or not at all: whoever reads it, even after a power cut, sees the old or the new one.
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * A file, or a directory so that a new name in it is on the disk too. Some file systems cannot sync a directory; then it is
 * as good as it gets.
 */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
}

const writeBeside = async (
  file: string,
  text: string | Uint8Array,
  mode: number,
  lasting = true,
): Promise<string> => {
  const beside = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  const handle = await open(beside, 'wx', mode)
  try {
    await handle.writeFile(text)
    // The mode given to open is cut by the umask.
    await handle.chmod(mode)
    if (lasting) await handle.sync()
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return beside
}

const replace = async (file: string, beside: string): Promise<void> => {
  try {
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** Puts `text` in place of what was there. A link at `file` is replaced, not followed. */
export const writeAtomic = async (file: string, text: string | Uint8Array, mode = 0o600): Promise<void> => {
  await replace(file, await writeBeside(file, text, mode))
  await syncPath(dirname(file))
}

/** As that, but a power cut may take it back: for what is worth nothing when the processes it tells of are gone. */
export const writeFleeting = async (file: string, text: string | Uint8Array, mode = 0o600): Promise<void> =>
  replace(file, await writeBeside(file, text, mode, false))

/** Writes `file` only if there is none; false if there was. Of many at once exactly one wins. */
export const writeNew = async (file: string, text: string | Uint8Array, mode = 0o600): Promise<boolean> => {
  const beside = await writeBeside(file, text, mode)
  try {
    await link(beside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(beside, { force: true })
  }
  await syncPath(dirname(file))
  return true
}
