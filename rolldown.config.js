// Pure JavaScript is bundled; the two packages with binaries inside stay outside.
import { readdirSync } from 'node:fs'
import { version } from './scripts/version.mjs'

const shared = {
  platform: 'node',
  external: [/^node:/, '@lydell/node-pty', '@photostructure/sqlite'],
  transform: { define: { AGENCY_VERSION: JSON.stringify(version()) } },
}
const chunks = {
  dir: 'dist',
  format: 'esm',
  chunkFileNames: 'part-[hash].js',
  minify: { compress: true, mangle: false },
}

const tools = Object.fromEntries(
  readdirSync('tools')
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.slice(0, -3), `tools/${name}`]),
)

export default [
  { ...shared, input: { main: 'src/cli/main.ts' }, output: { ...chunks, cleanDir: false } },
  { ...shared, input: tools, output: { ...chunks, dir: 'build' } },
]
