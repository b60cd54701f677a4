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
  // Programs of their own: one file each, started often, nothing shared with the CLI.
  {
    ...shared,
    input: { scripted: 'src/driver/scripted/main.ts' },
    output: { ...chunks, codeSplitting: false, cleanDir: false },
  },
  {
    ...shared,
    input: { keeper: 'src/keeper/main.ts' },
    output: { ...chunks, codeSplitting: false, cleanDir: false },
  },
  {
    ...shared,
    input: { hook: 'src/hook/command/main.ts' },
    output: { ...chunks, format: 'cjs', entryFileNames: '[name].cjs', cleanDir: false },
  },
  {
    ...shared,
    input: { forward: 'src/sandbox/forward/main.ts' },
    output: { ...chunks, format: 'cjs', entryFileNames: '[name].cjs', cleanDir: false },
  },
  { ...shared, input: tools, output: { ...chunks, dir: 'build' } },
]
