import { version } from '../base/version.ts'
import type { Handler } from './io.ts'

export const run: Handler = () => ({ data: { version, node: process.version }, lines: [version] })
