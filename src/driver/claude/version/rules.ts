import type { Features, Version } from './schema.ts'

/** The oldest version that was measured. */
export const oldest: Version = { major: 2, minor: 1, patch: 197 }
/** The version all of this was measured with. What lies between is taken to have none of the new features. */
const measured: Version = { major: 2, minor: 1, patch: 325 }

/** Reads the output of `claude --version`. */
export const parseVersion = (text: string): Version | undefined => {
  const [, major, minor, patch] = /^\s*v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?![\d.])/.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export const versionText = ({ major, minor, patch }: Version): string => `${major}.${minor}.${patch}`

export const atLeast = (version: Version, floor: Version): boolean => {
  if (version.major !== floor.major) return version.major > floor.major
  if (version.minor !== floor.minor) return version.minor > floor.minor
  return version.patch >= floor.patch
}

/** Fails closed: a version that was not measured and is older gets the slow hooks that need no feature. */
export const features = (version: Version): Features => {
  const current = atLeast(version, measured)
  return {
    onFailure: current,
    manualMode: current,
    promptSnapshot: current,
    permissionRequestInPrint: current,
  }
}
