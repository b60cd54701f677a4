/** The version of Claude Code that the facts were measured on and that the twin cases hold for. */
export const claude = '2.1.325'
