// One call of a tool, as the agent asks for it.
export type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }

/** The same call by another name. `unsure`: its program is not known; the line as it would be with this one. */
export type Other = Call & { readonly unsure?: (program: string) => string }

/** Where the call happens: what relative paths, `/` of a rule and `~` mean. */
export type Place = { readonly cwd: string; readonly tree: string; readonly home: string }
