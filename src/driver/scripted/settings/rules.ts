// How the settings files of user, project, machine and command line become one.
import * as z from 'zod'
import { type Effective, group, type Hook, type Settings, type Source, settings } from './schema.ts'

/** Undefined = ignored without a word, as the CLI does with what it cannot read. */
export const read = (text: string): Settings | undefined => {
  try {
    const parsed = settings.safeParse(JSON.parse(text))
    if (!parsed.success) return undefined
    // A bad entry under one of these two voids the whole file; elsewhere only its event.
    const strict = ['PreToolUse', 'PermissionRequest'].every((event) => {
      const groups = parsed.data.hooks?.[event]
      return groups === undefined || z.array(group).safeParse(groups).success
    })
    return strict ? parsed.data : undefined
  } catch {
    // Not JSON: the same silence.
    return undefined
  }
}

export const hooksOf = (given: Settings, source: Source, root?: string): Hook[] =>
  Object.entries(given.hooks ?? {}).flatMap(([event, groups]) => {
    const parsed = z.array(group).safeParse(groups)
    if (!parsed.success) return []
    return parsed.data.flatMap(({ matcher = '', hooks }) =>
      hooks.map(
        (entry): Hook => ({ event, matcher, entry, source, ...(root === undefined ? {} : { root }) }),
      ),
    )
  })

/** From the weakest to the strongest: a later scalar wins, lists add up. */
const order: readonly Source[] = ['user', 'project', 'local', 'flag']

export const merge = (
  sources: Partial<Record<Source, Settings>>,
  plugins: readonly Hook[],
  trusted: boolean,
): Effective => {
  const all = order.flatMap((source) => {
    const given = sources[source]
    return given ? [{ source, given }] : []
  })
  const last = <T>(pick: (given: Settings) => T | undefined): T | undefined =>
    all.reduce<T | undefined>((found, { given }) => pick(given) ?? found, undefined)
  const rules = (kind: 'allow' | 'deny' | 'ask'): string[] =>
    all
      .filter(({ source }) => kind !== 'allow' || trusted || source === 'user' || source === 'flag')
      .flatMap(({ given }) => given.permissions?.[kind] ?? [])
  const urls = all.flatMap(({ given }) => given.allowedHttpHookUrls ?? [])
  const limited = all.some(({ given }) => given.allowedHttpHookUrls !== undefined)
  const kept = [sources.project, sources.local].some((given) => (given?.permissions?.allow ?? []).length > 0)
  const mode = last((given) => given.permissions?.defaultMode)
  const model = last((given) => given.model)
  return {
    hooks: last((given) => given.disableAllHooks)
      ? []
      : [...all.flatMap(({ source, given }) => hooksOf(given, source)), ...plugins],
    allow: rules('allow'),
    deny: rules('deny'),
    ask: rules('ask'),
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(limited ? { urls } : {}),
    untrusted: !trusted && kept,
    noBypass: last((given) => given.permissions?.disableBypassPermissionsMode) === 'disable',
    noBypassDialog: sources.user?.skipDangerousModePermissionPrompt === true,
    env: Object.assign({}, ...all.map(({ given }) => given.env ?? {})) as Record<string, string>,
  }
}
