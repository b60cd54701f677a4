// Does a rule's pattern fit a call?
import { remembered } from '../../base/memo/rules.ts'
import type { Call, Place } from '../call/schema.ts'
import { readShell } from '../shell/rules.ts'
import type { Reading } from '../shell/schema.ts'
import { matchCommand } from './command/rules.ts'
import { fitsPath } from './path/rules.ts'
import type { Match } from './schema.ts'

const yes = (why: string): Match => ({ match: 'yes', why })
const no = (why: string): Match => ({ match: 'no', why })
const undecidable = (why: string): Match => ({ match: 'undecidable', why })

type Pattern = { readonly tool: string; readonly text?: string }

/** `Tool(text)`, `Tool:text` or `Tool`. */
const parsed = remembered((pattern): Pattern => {
  const [, tool, inside, after] = /^\s*([\w*.-]+?)\s*(?:\(([\s\S]*)\)|:([\s\S]*))?\s*$/.exec(pattern) ?? []
  const text = inside ?? after
  if (tool === undefined) return { tool: pattern.trim() }
  return text === undefined || /^\s*\*?\s*$/.test(text) ? { tool } : { tool, text: text.trim() }
})

const globbed = remembered((glob): RegExp => {
  const source = glob.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${source.join('[\\s\\S]*')}$`)
})

/** A rule for one of these is a rule for all tools that do the same. */
const families: Readonly<Record<string, readonly string[]>> = {
  Edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  Read: ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'],
  Agent: ['Agent', 'Task'],
  Task: ['Agent', 'Task'],
}

const forTool = (tool: string, call: Call): boolean => {
  if (Object.hasOwn(families, tool) && families[tool]?.includes(call.tool)) return true
  // `mcp__server` is every tool of that server.
  if (/^mcp__[^*]+$/.test(tool) && call.tool.startsWith(`${tool}__`)) return true
  return globbed(tool).test(call.tool)
}

const pathTools = /^(?:Edit|Write|MultiEdit|NotebookEdit|Read|Grep|Glob|LS|NotebookRead)$/

/** These look into a directory, so its name stands for what lies in it. */
const searches = /^(?:Grep|Glob|LS)$/

const matchPath = (pattern: string, { tool, input }: Call, place: Place | undefined): Match => {
  const path = input.file_path ?? input.notebook_path ?? input.path ?? '.'
  if (typeof path !== 'string' || path.includes('\0'))
    return undecidable('the call names no path that can be read')
  const absolute = /^(?:\/|~)/.test(path)
  if (place === undefined && absolute !== /^(?:\/\/|~)/.test(pattern)) {
    return undecidable('whether the path lies there depends on the directory')
  }
  const where = place ?? { cwd: '/', tree: '/', home: '/~' }
  const own = fitsPath(pattern, path, where)
  const fit = own === 'no' && searches.test(tool) ? fitsPath(pattern, `${path}/\u0001`, where) : own
  if (fit === 'almost') return undecidable(`${path} differs from it only in capital letters`)
  return fit === 'yes' ? yes(`${path} lies there`) : no(`${path} lies elsewhere`)
}

const matchDomain = (domain: string, { input }: Call): Match => {
  const url = input.url
  if (typeof url !== 'string') return undecidable('the call names no address')
  const [, host = ''] = /^\s*[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#\\]*@)?(\[[^\]]+\]|[^:/?#\\]+)/i.exec(url) ?? []
  if (host === '' || /[%\\\s\0-\x1f]/.test(`${host}${url.trim().split(/[?#]/, 1)[0]}`)) {
    return undecidable('the address cannot be read')
  }
  const name = host.toLowerCase().replace(/\.$/, '')
  return globbed(domain.toLowerCase()).test(name) ? yes(`the host is ${name}`) : no(`the host is ${name}`)
}

/** Any other tool: `key:value` names one field, else one of the texts of the call fits. */
const matchFields = (text: string, { input }: Call): Match => {
  const [, key = '', value = ''] = /^([\w-]+):([\s\S]*)$/.exec(text) ?? []
  if (Object.hasOwn(input, key)) {
    return globbed(value).test(String(input[key])) ? yes(`${key} fits`) : no(`${key} is another`)
  }
  const glob = globbed(text.replace(/:\*$/, '*'))
  const found = Object.values(input).some((field) => typeof field === 'string' && glob.test(field))
  return found ? yes('a field fits') : no('no field fits')
}

/** Never throws. `read` is for whoever asks about many patterns and reads the command once. `undecidable` must be taken for yes wherever yes closes a door. */
export const matchPattern = (
  pattern: string,
  call: Call,
  place?: Place,
  read: (command: string) => Reading = readShell,
): Match => {
  const { tool, text } = parsed(pattern)
  if (!forTool(tool, call)) return no(`the tool is ${call.tool}`)
  if (text === undefined) return yes(`every use of ${call.tool}`)
  if (call.tool === 'Bash') {
    const { command } = call.input
    if (typeof command !== 'string') return undecidable('the call has no command that can be read')
    return matchCommand(text, command, read(command))
  }
  if (pathTools.test(call.tool)) return matchPath(text, call, place)
  if (call.tool === 'WebFetch' && text.startsWith('domain:')) return matchDomain(text.slice(7), call)
  return matchFields(text, call)
}
