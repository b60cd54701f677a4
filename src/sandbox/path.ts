// Paths that a role names, as they really are. An agent that could move one of them would choose what is mounted
// the next time: so nothing on the way to it may be a link that lies where an agent writes.
import { lstat, readlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { isWithin } from '../base/path/rules.ts'
import { sandbox } from '../role/sandbox/schema.ts'

type Asking = {
  readonly agent: string
  readonly field: string
  /** Where agents write. */
  readonly writable: readonly string[]
}

const mostLinks = 40

const refuse = ({ agent, field }: Asking, path: string, why: string): never =>
  fail('sandbox_error', {
    agent,
    why: `${path} of \`sandbox.${field}\` ${why}`,
    fix: `Correct \`sandbox.${field}\` in the role or in the agent's config.`,
  })

/** Like `realpath`, but every link on the way is looked at. */
const follow = async (asking: Asking, asked: string): Promise<string> => {
  let left = asked.split('/').filter((part) => part !== '')
  let at = '/'
  for (let links = 0; left.length > 0; ) {
    const [part = '', ...rest] = left
    const next = resolve(at, part)
    const found = await lstat(next).catch(() => refuse(asking, asked, 'does not exist'))
    if (!found.isSymbolicLink()) {
      at = next
      left = rest
      continue
    }
    if (asking.writable.some((place) => isWithin(place, dirname(next))))
      refuse(asking, asked, `goes through the link ${next}, which an agent could have made`)
    links += 1
    if (links > mostLinks) refuse(asking, asked, 'goes through too many links')
    const target = resolve(dirname(next), await readlink(next))
    left = [...target.split('/').filter((each) => each !== ''), ...rest]
    at = '/'
  }
  return at
}

type At = { readonly home: string; readonly tree: string }

export const expand = (text: string, { home, tree }: At): string =>
  text.startsWith('~/') ? resolve(home, text.slice(2)) : resolve(tree, text)

export const rolePath = async (asking: Asking, text: string, at: At): Promise<string> => {
  const asked = expand(text, at)
  const real = await follow(asking, asked)
  const { success } = sandbox.safeParse({ read_write_paths: [real] })
  if (!success) refuse(asking, asked, 'is refused: through it an agent leaves the sandbox')
  const found = await lstat(real)
  if (!found.isFile() && !found.isDirectory()) refuse(asking, asked, 'is neither a file nor a directory')
  return real
}
