// Writes a file whole or not at all: whoever reads it, even after a power cut, sees the old or the new one.
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** So that the new name itself is on the disk. Some file systems cannot sync a directory; then it is as good as it gets. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
}

const writeBeside = async (file: string, text: string | Uint8Array, mode: number): Promise<string> => {
  const beside = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  const handle = await open(beside, 'wx', mode)
  try {
    await handle.writeFile(text)
    // The mode given to open is cut by the umask.
    await handle.chmod(mode)
    await handle.sync()
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return beside
}

/** Puts `text` in place of what was there. A link at `file` is replaced, not followed. */
export const writeAtomic = async (file: string, text: string | Uint8Array, mode = 0o600): Promise<void> => {
  const beside = await writeBeside(file, text, mode)
  try {
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncDirectory(dirname(file))
}

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
  await syncDirectory(dirname(file))
  return true
}
