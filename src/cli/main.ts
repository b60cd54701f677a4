import { version } from '../base/version.ts'

process.stdout.write(`${version}\n`)
