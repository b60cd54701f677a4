// What of this machine every program needs: read at each launch, since an update may change it meanwhile.
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import type { System } from './schema.ts'

const directories = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/**
 * No account of this machine and no secret is in any of these: `passwd` and `group` are made up, and beside
 * certificates lie the keys to them.
 */
const files = [
  'alternatives ca-certificates crypto-policies fonts gai.conf gitconfig host.conf inputrc ld.so.cache ld.so.conf',
  'ld.so.conf.d localtime locale.conf mime.types nsswitch.conf os-release pki/ca-trust pki/tls/cert.pem pki/tls/certs',
  'pki/tls/openssl.cnf protocols services ssl/cert.pem ssl/certs ssl/openssl.cnf terminfo timezone',
]
  .flatMap((names) => names.split(' '))
  .map((name) => `/etc/${name}`)

/** Of the network of this machine: of no use where it cannot be reached. */
const networked = ['/etc/resolv.conf', '/etc/hosts']

const directory = async (path: string): Promise<Partial<System>> => {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink()) return { links: [{ path, target: await readlink(path) }] }
  return found?.isDirectory() ? { directories: [path] } : {}
}

const file = async (to: string): Promise<System['files']> => {
  const from = await realpath(to).catch(() => undefined)
  if (from === undefined) return []
  const found = await stat(from)
  return found.isFile() || found.isDirectory() ? [{ from, to }] : []
}

export const readSystem = async (network: boolean): Promise<System> => {
  const roots = await Promise.all(directories.map(directory))
  const found = await Promise.all([...files, ...(network ? networked : [])].map(file))
  return {
    directories: roots.flatMap((one) => one.directories ?? []),
    links: roots.flatMap((one) => one.links ?? []),
    files: found.flat(),
  }
}
