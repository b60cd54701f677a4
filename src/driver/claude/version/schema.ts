export type Version = { readonly major: number; readonly minor: number; readonly patch: number }

/** What differs between versions of the CLI. */
export type Features = {
  /** `onFailure: "block"` on a hook: a failed HTTP hook blocks instead of letting the call pass. */
  readonly onFailure: boolean
  /** The mode `manual`; before it the same mode was only called `default`. */
  readonly manualMode: boolean
  /** Replays the first system prompt on resume unless `--system-prompt-snapshot off` is given. */
  readonly promptSnapshot: boolean
  /** PermissionRequest is fired with `--print` too. */
  readonly permissionRequestInPrint: boolean
}
