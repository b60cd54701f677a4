// The version is the git tag at build time; a tarball has no tags and keeps what was packed.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const version = () => {
  const fallback = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
  try {
    const said = execFileSync('git', ['describe', '--tags', '--always', '--dirty', '--match', 'v[0-9]*'], {
      cwd: new URL('..', import.meta.url),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return /^v\d/.test(said) ? said.slice(1) : `${fallback}+${said}`
  } catch {
    return fallback
  }
}
