// What a role is offered, as the CLI takes it: tools of MCP servers, of which a list of tools says nothing, and names
// that it does not know. The stand-in has neither servers nor doubts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { offeredTools } from '../../src/permission/tool/rules.ts'
import { nothing } from '../../src/role/capability/schema.ts'
import type { DeclaredTools } from '../../src/role/tool/schema.ts'
import { makeRig } from '../twin/rig.ts'

const server = `
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'rig', version: '1' } }),
  'tools/list': () => ({ tools: ['look', 'put'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params) ?? {}
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

const offered = async (args: readonly string[]): Promise<readonly string[]> => {
  const rig = await makeRig('claude', [{ replies: [{ text: 'Heard.', times: 0 }] }])
  const file = join(rig.dir, 'server.cjs')
  writeFileSync(file, server)
  const config = { mcpServers: { rig: { command: process.execPath, args: [file] } } }
  const { stdout } = await rig.stream('go', [...args, `--mcp-config=${JSON.stringify(config)}`])
  const { tools } = JSON.parse(stdout.split('\n')[0] ?? '') as { tools: string[] }
  return tools.filter((tool) => tool.startsWith('mcp__'))
}

const flags = (declared: DeclaredTools): string[] => {
  const limits = { capabilities: { ...nothing, can_read_files: true }, tools: declared }
  const { tools = [], disallowed = [] } = offeredTools(limits)
  return [`--tools=${tools.join(',')}`, ...disallowed.map((rule) => `--disallowedTools=${rule}`)]
}

test.each<[string, readonly string[], readonly string[]]>([
  ['a list of tools alone takes none of them away', ['--tools=Read'], ['mcp__rig__look', 'mcp__rig__put']],
  ['who has limits is offered none that nobody declared', flags({}), []],
  [
    'what is declared is offered as far as the role may use it',
    flags({ mcp__rig__look: ['can_read_files'], mcp__rig__put: ['can_write_files'] }),
    ['mcp__rig__look'],
  ],
])('claude: %s', async (_, args, expected) => {
  expect(await offered(args)).toEqual(expected)
})

test('claude: it has no doubt about what is refused', async () => {
  const rig = await makeRig('claude', [{ replies: [{ text: 'Heard.', times: 0 }] }])
  const { tools = [], disallowed = [] } = offeredTools({ capabilities: nothing, tools: {} })
  const terminal = await rig.terminal([
    '--permission-mode=manual',
    `--tools=${tools.join(',')}`,
    ...disallowed.map((rule) => `--disallowedTools=${rule}`),
  ])
  expect(await terminal.screen()).not.toContain('matches no tool')
})
