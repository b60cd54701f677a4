// The tree an agent works in: what we remember of it, what is found, and what is then done.
import * as z from 'zod'
import type { Facts } from '../base/error/schema.ts'
import type { worktreeErrors } from '../base/error/worktree/schema.ts'
import { name } from '../base/name/schema.ts'

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

/** Written before anything is made and kept as long as the tree: which repository a tree belongs to is our
 * own knowledge, never what a file inside the tree says. */
export const record = z.strictObject({
  agent: name,
  state: z.enum(['making', 'made', 'removing']),
  path: z.string(),
  /** Its common directory. */
  repository: z.string(),
  /** The branch that was made with the tree; null = detached, or the tree was found and taken over. */
  branch: z.string().nullable(),
  /** Where that branch stood when it was made, or, in `removing`, when it was found safe to delete. */
  commit: oid.nullable(),
  /** A repository of its own over the objects of the other: for an agent within walls. */
  clone: z.literal(true).optional(),
})
export type WorktreeRecord = z.infer<typeof record>

export type Repository = {
  /** What all its worktrees share: real path of `.git`, or of the bare repository. */
  readonly common: string
  /** The git directory of that tree; the common one unless it is itself a worktree. */
  readonly gitdir: string
  /** The tree around the directory that was named; a bare repository has none. */
  readonly top: string | undefined
}

/** A worktree as the repository has registered it. */
export type Entry = {
  /** Its own git directory, `<common>/worktrees/<id>`. */
  readonly gitdir: string
  /** Where its tree should be; undefined while git is still writing the entry. */
  readonly tree: string | undefined
  /** What its HEAD file says: `ref: refs/heads/x` or a commit. */
  readonly head: string
  /** Why `git worktree lock` keeps it, perhaps empty; undefined = it does not. */
  readonly locked: string | undefined
  readonly indexed: boolean
  readonly busy: boolean
}

/** What lies where the tree of the agent should be. */
export type Place =
  | { readonly kind: 'absent' | 'empty' | 'file' | 'link' }
  /** `gitdir` is what its `.git` file names: a claim, to be compared with the repository's own entry. */
  | { readonly kind: 'directory'; readonly git: 'none' | 'directory' | 'garbage' }
  | { readonly kind: 'directory'; readonly git: 'file'; readonly gitdir: string }

export type Found = {
  readonly agent: string
  readonly path: string
  readonly directory: string
  readonly ground: 'absent' | 'file' | 'directory'
  readonly repository: Repository | undefined
  /** Git's words where there is no repository. */
  readonly words: string
  readonly place: Place
  readonly entry: Entry | undefined
  /** Where the entry that the place claims has its tree instead, and whether one is there. */
  readonly elsewhere: { readonly tree: string; readonly there: boolean } | undefined
  /** Whether there is any commit to start from. */
  readonly born: boolean
  /** What branch_from stands for. */
  readonly commit: string | undefined
  /** A ref that was perhaps meant. */
  readonly meant: string | undefined
  /** The branch that is in the way of a new one. */
  readonly taken: { readonly branch: string; readonly at: string | undefined } | undefined
}

export type Settings = {
  readonly branch_from?: string | undefined
  readonly use_detached_head?: boolean | undefined
}

export type WorktreeCode = keyof typeof worktreeErrors
export type Refusal = {
  [C in WorktreeCode]: { readonly action: 'refuse'; readonly code: C; readonly facts: Facts<C> }
}[WorktreeCode]

type Site = { readonly path: string; readonly repository: Repository }
export type Plan =
  | (Site & { readonly action: 'branch'; readonly branch: string; readonly commit: string })
  | (Site & { readonly action: 'detach'; readonly commit: string })
  | (Site & { readonly action: 'reuse'; readonly entry: Entry })
  | Refusal

export const worktreeState = z.enum(['clean', 'dirty', 'unpushed', 'broken'])

export const worktreeStatus = z
  .strictObject({
    agent: z.string(),
    path: z.string(),
    repository: z.string().nullable(),
    branch: z.string().nullable().meta({ description: 'null = detached, or not known.' }),
    state: worktreeState,
    dirty: z.array(z.string()).meta({ description: 'What is not committed; the first few.' }),
    changes: z.int().min(0).meta({ description: 'How many files are not committed.' }),
    unpushed: z.int().min(0).meta({ description: 'Commits that no remote and no other branch has.' }),
    why: z.string().optional().meta({ description: 'What is broken.' }),
    repair: z.string().optional().meta({ description: 'What to type to repair it.' }),
  })
  .meta({ id: 'WorktreeStatus', description: 'The worktree of an agent.' })
export type WorktreeStatus = z.infer<typeof worktreeStatus>
