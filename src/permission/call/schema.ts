// One call of a tool, as the agent asks for it.
export type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }

/** Where the call happens: what relative paths, `/` of a rule and `~` mean. */
export type Place = { readonly cwd: string; readonly tree: string; readonly home: string }
