export type Changed = {
  readonly path: string
  /** Where it was. */
  readonly from?: string
  readonly how: 'added' | 'changed' | 'removed' | 'moved' | 'other kind'
  /** Of what is there now; 0 = nothing is. */
  readonly bytes: number
  /** Absent = it is too large, or no text. */
  readonly diff?: string
}
