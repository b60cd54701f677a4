// The names this program is also known by. One table; nothing else knows them.

type Alias = { readonly words: readonly string[]; readonly except?: readonly string[] }

/** Program name → the words it stands for. A first word in `except` is taken as it is. */
export const programs: Readonly<Record<string, Alias>> = {
  h2: { words: [] },
  roz: { words: ['review'], except: ['hook'] },
  'ag-cli': { words: [] },
  'ag-director-cli': { words: [] },
  'ag-agent-claude': { words: ['serve', 'agent'] },
  'ag-view-web': { words: ['serve', 'view'] },
  'ag-director-web': { words: ['serve', 'view'] },
  'ag-director-github': { words: ['serve', 'github'] },
  'ag-director-gitlab': { words: ['serve', 'gitlab'] },
  'ag-director-scheduler': { words: ['serve', 'scheduler'] },
  'ag-tool-scheduler': { words: ['serve', 'scheduler'] },
  'ag-director-claude': { words: ['serve', 'manager'] },
}

const about = ['--help', '-h', '--version']

export const expand = (program: string, argv: readonly string[]): readonly string[] => {
  const alias = Object.hasOwn(programs, program) ? programs[program] : undefined
  const first = argv[0] ?? ''
  const plain = alias === undefined || alias.except?.includes(first) || about.includes(first)
  return plain ? argv : [...alias.words, ...argv]
}

/** `H2_ROLE` is read as `AGENCY_ROLE` where that is not set. H2_DIR belongs to the search for a root. */
export const adopt = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => {
  const adopted = { ...env }
  for (const name of ['ACTOR', 'ROLE', 'POD', 'SESSION_DIR']) {
    adopted[`AGENCY_${name}`] ??= env[`H2_${name}`]
  }
  return adopted
}
