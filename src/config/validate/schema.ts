import type * as z from 'zod'

/** What a look beyond the schema found: a reserved field, a directory that is not there. */
export type Finding = {
  readonly keys: readonly (string | number)[]
  /** A sentence that names the field. */
  readonly message: string
  readonly meant?: string
  /** True = said, but the file is valid. */
  readonly warning?: boolean
}

export type Context = { readonly file: string; readonly root?: string }

/** A kind of YAML file. Each noun that has files brings its own. */
export type Kind = {
  /** `role`, `config`; also the name of its JSON Schema. */
  readonly name: string
  /** Where files of this kind lie below the root; `*` is one name: `roles/*.yaml`. */
  readonly places: readonly string[]
  /** Values of the field `type` by which a file elsewhere is known. */
  readonly types?: readonly string[]
  readonly schema: z.ZodType
  /** Called only with what the schema accepted. */
  readonly check?: (value: never, context: Context) => readonly Finding[] | Promise<readonly Finding[]>
}
