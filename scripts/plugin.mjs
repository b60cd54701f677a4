// Lays the plugin for plain Claude Code beside the program that it calls.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { version } from './version.mjs'

cpSync('plugin', 'dist/plugin', { recursive: true })
const file = 'dist/plugin/.claude-plugin/plugin.json'
writeFileSync(
  file,
  `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: version() }, null, 2)}\n`,
)
