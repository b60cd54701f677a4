// npm run generate: the files made from schemas, contracts, commands and the catalogue. --check = compare only.
import { generated } from '../generate/files.ts'
import { differences, write } from '../generate/write.ts'

const files = await generated()
if (process.argv.includes('--check')) {
  const found = differences(files)
  for (const line of found) console.error(line)
  if (found.length > 0) console.error('Type `npm run generate` and commit the result.')
  else console.log(`${files.size} generated files are up to date.`)
  process.exitCode = found.length > 0 ? 1 : 0
} else {
  write(files)
  console.log(`${files.size} files written.`)
}
