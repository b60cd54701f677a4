import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { layout } from '../../config/layout/rules.ts'
import { writeSchemas } from '../../config/root/init.ts'
import { kinds } from '../../director/kinds.ts'

const there = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The JSON Schemas that the `$schema` lines of a root's files name, for editors. */
export const ensureSchemas = async (root: string): Promise<void> => {
  const { schemas } = layout(root)
  const present = await Promise.all(kinds.map(({ name }) => there(join(schemas, `${name}.json`))))
  if (present.every((each) => each)) return
  await writeSchemas(root, Object.fromEntries(kinds.map(({ name, schema }) => [name, schema])))
}
