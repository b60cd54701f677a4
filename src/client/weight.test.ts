import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

test('the client loads nothing but its own files: no zod, no YAML, no store', async () => {
  const bundle = await rolldown({
    input: ['src/client/start.ts', 'src/client/call.ts', 'src/client/events.ts'],
    platform: 'node',
    logLevel: 'silent',
  })
  try {
    const { output } = await bundle.generate({ format: 'esm' })
    const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
    expect(modules.filter((id) => /node_modules|\/src\/(store|host|state)\//.test(id))).toEqual([])
    expect(modules.some((id) => id.endsWith('src/client/start.ts'))).toBe(true)
  } finally {
    await bundle.close()
  }
})
