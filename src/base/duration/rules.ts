// Beside its pattern, because the schema needs it too.
export { milliseconds } from './schema.ts'
