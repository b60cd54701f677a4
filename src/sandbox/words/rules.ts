// Walls in words, for whoever decides whether to launch within them.
import type { SandboxFile } from '../../role/sandbox/schema.ts'
import { networkOf } from '../policy/rules.ts'

const networks = {
  none: 'no network but the model',
  full: 'the whole network, where only tokens guard what listens on this machine',
}

const network = (settings: SandboxFile): string => {
  const kind = networkOf(settings)
  if (kind !== 'proxy') return networks[kind]
  return `no network but the model and ${settings.allowed_hosts?.join(', ') || 'no host at all'}`
}

const listed = (verb: string, paths: readonly string[] = []): readonly string[] =>
  paths.length === 0 ? [] : [`${verb} ${paths.join(', ')}`]

export const wallsInWords = (tree: 'read-only' | 'read-write', settings: SandboxFile): string =>
  [
    `its tree ${tree}`,
    network(settings),
    ...listed('also reads', settings.read_only_paths),
    ...listed('also writes', settings.read_write_paths),
    ...(settings.memory_mb === undefined ? [] : [`${settings.memory_mb} MiB of memory`]),
    ...(settings.max_processes === undefined ? [] : [`${settings.max_processes} processes`]),
  ].join('; ')
