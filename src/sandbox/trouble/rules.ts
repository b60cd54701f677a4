// Why there can be no walls here, and what to type about it.
import type { Trouble } from '../schema.ts'

/** Older ones cannot forbid namespaces within namespaces. */
const oldest = [0, 8, 0]

export const versionOf = (printed: string): string | undefined => /\b(\d+\.\d+\.\d+)\b/.exec(printed)?.[1]

const isOld = (version: string): boolean => {
  const parts = version.split('.').map(Number)
  const at = oldest.findIndex((least, index) => parts[index] !== least)
  return at !== -1 && (parts[at] ?? 0) < (oldest[at] ?? 0)
}

const install = 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.'

/** What the kernel says of namespaces; absent = it has no such switch. */
export type Switches = {
  readonly apparmor?: string | undefined
  readonly clone?: string | undefined
  readonly most?: string | undefined
}

export type Seen = {
  readonly system: string
  /** Where programs of the system are, and one of that name is not. */
  readonly places: readonly string[]
  readonly path?: string | undefined
  /** Why the one that was found is not trusted. */
  readonly doubt?: string | undefined
  /** What it printed for `--version`. */
  readonly printed?: string | undefined
  /** What it printed when it was to make walls; '' = it made them. */
  readonly refused?: string | undefined
  readonly switches: Switches
}

const refusal = (refused: string, { apparmor, clone, most }: Switches): Trouble => {
  if (most === '0')
    return {
      cause: 'this system allows no user namespaces (user.max_user_namespaces is 0)',
      fix: 'Ask the administrator for `sysctl user.max_user_namespaces=15000`.',
    }
  if (clone === '0')
    return {
      cause: 'only root may have user namespaces here (kernel.unprivileged_userns_clone is 0)',
      fix: 'Ask the administrator for `sysctl kernel.unprivileged_userns_clone=1`.',
    }
  if (apparmor === '1')
    return {
      cause:
        'AppArmor refuses bubblewrap a user namespace (kernel.apparmor_restrict_unprivileged_userns is 1)',
      fix: 'Ask the administrator for an AppArmor profile for bwrap: `apt install apparmor-profiles`, then `ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`.',
    }
  return {
    cause: `bubblewrap could not make one (${refused.replace(/[.\s]+$/, '')})`,
    fix: 'In a container allow user namespaces (Docker: `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`); elsewhere type `agency doctor`.',
  }
}

/** Absent = walls can be made. */
export const troubleOf = (seen: Seen): Trouble | undefined => {
  const { system, places, path, doubt, printed, refused } = seen
  if (system !== 'linux')
    return {
      cause: `agency makes none on ${system} yet`,
      fix: 'Run it on Linux, or without `sandbox` in the role.',
    }
  if (path === undefined)
    return { cause: `bubblewrap is not installed (no bwrap in ${places.join(', ')})`, fix: install }
  if (doubt !== undefined) return { cause: `${path} ${doubt}`, fix: install }
  const version = versionOf(printed ?? '')
  if (version === undefined)
    return { cause: `${path} does not say which version of bubblewrap it is`, fix: install }
  if (isOld(version))
    return {
      cause: `bubblewrap ${version} is too old`,
      fix: `Install ${oldest.join('.')} or newer: your system's next release has it.`,
    }
  return refused === undefined || refused === '' ? undefined : refusal(refused, seen.switches)
}

/** What bubblewrap said when it could not put up these walls; undefined = it did not fail. */
export const fallenIn = (lines: readonly string[]): Trouble | undefined => {
  const said = lines.find((line) => line.startsWith('bwrap: '))
  if (said === undefined) return undefined
  return {
    cause: `bubblewrap could not put it up (${said.slice('bwrap: '.length).replace(/[.\s]+$/, '')})`,
    fix: 'See that every path of `sandbox` in the role exists and is no link, then try again; `agency doctor` says whether a sandbox can be made here at all.',
  }
}
