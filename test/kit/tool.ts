import { existsSync } from 'node:fs'

/** The path of a program built from `tools/`. */
export const tool = (name: string): string => {
  const path = new URL(`../../build/${name}.js`, import.meta.url).pathname
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`npm run build\` first`)
  return path
}
