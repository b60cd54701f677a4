export type Env = Readonly<Record<string, string | undefined>>
export type Json = Readonly<Record<string, unknown>>
