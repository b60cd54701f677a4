// Command hooks as small shell scripts that keep what they were given.
import type { HookBody } from './listen.ts'
import { jsonLines } from './place.ts'
import type { Rig } from './rig.ts'
import { command, type Entry } from './settings.ts'

/** A hook that records its input, then does `does`, which finds the input in the file "$SEEN". */
export const hookCommand = async (rig: Rig, name: string, does: string, more: Entry = {}): Promise<Entry> => {
  const log = `${rig.dir}/${name}.jsonl`
  const script = `#!/bin/sh
SEEN="$(mktemp '${rig.tmp}/seen-XXXXXX')"
cat > "$SEEN"
{ cat "$SEEN"; echo; } >> '${log}'
${does}
`
  return command(`'${await rig.write(`${name}.sh`, script, 0o700)}'`, more)
}

/** What the hook of this name was given, call by call. */
export const recorded = async (rig: Rig, name: string): Promise<HookBody[]> =>
  (await jsonLines<HookBody | undefined>(`${rig.dir}/${name}.jsonl`)).filter((body) => body !== undefined)
