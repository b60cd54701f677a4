// Settings files are read at start and followed while the program runs; the one given by --settings is read once.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../argv/schema.ts'
import { hooksOf, merge, read } from './rules.ts'
import type { Effective, Hook, Settings, Source } from './schema.ts'

export type Change = { source: string; file: string }
export type Live = {
  now: () => Effective
  /** Calls `judge` for every change on disk; false = the change is not applied. */
  follow: (judge: (change: Change) => Promise<boolean>) => () => void
}

/** The CLI takes up to a few seconds; a shorter time makes cases faster and decides nothing. */
const everyMs = 2000

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A missing file says nothing; an unreadable one is treated alike.
    return ''
  }
}

/** A JSON text, or the name of a file; broken JSON counts as a file name. */
const flagSettings = (given: string): { ok: Settings } | { problem: string } => {
  if (given.trim().startsWith('{')) {
    try {
      JSON.parse(given)
      return { ok: read(given) ?? {} }
    } catch {
      return { problem: `Error: Settings file not found: ${given}` }
    }
  }
  const text = textOf(given)
  return text === '' ? { problem: `Error: Settings file not found: ${given}` } : { ok: read(text) ?? {} }
}

export const pluginName = (root: string): string => {
  const named = textOf(join(root, '.claude-plugin', 'plugin.json'))
  const name = named === '' ? undefined : (JSON.parse(named) as { name?: string }).name
  return name ?? root.split('/').pop() ?? root
}

const pluginHooks = (root: string): Hook[] =>
  hooksOf(read(textOf(join(root, 'hooks', 'hooks.json'))) ?? {}, 'plugin', root)

export const openSettings = (
  options: Options,
  place: { cwd: string; config: string; trusted: () => boolean },
): Live | { problem: string } => {
  const files: { source: Source; file: string; word: string }[] = [
    { source: 'user' as const, file: join(place.config, 'settings.json'), word: 'user_settings' },
    {
      source: 'project' as const,
      file: join(place.cwd, '.claude', 'settings.json'),
      word: 'project_settings',
    },
    {
      source: 'local' as const,
      file: join(place.cwd, '.claude', 'settings.local.json'),
      word: 'local_settings',
    },
  ].filter(({ source }) => options.sources?.includes(source) ?? true)
  const flag = options.settings === undefined ? { ok: {} } : flagSettings(options.settings)
  if ('problem' in flag) return flag
  // What was seen last, and what is in force: they differ after a change that a hook blocked.
  const texts = new Map(files.map(({ file }) => [file, textOf(file)]))
  const applied = new Map(texts)
  const plugins = options.plugins.flatMap(pluginHooks)
  const compute = (): Effective => {
    const sources: Partial<Record<Source, Settings>> = { flag: flag.ok }
    for (const { source, file } of files) {
      const given = read(applied.get(file) ?? '')
      if (given) sources[source] = given
    }
    return merge(sources, plugins, place.trusted())
  }
  let effective = compute()
  let trusted = place.trusted()
  const now = (): Effective => {
    // The person may have answered the trust dialog since.
    if (!trusted && place.trusted()) {
      trusted = true
      effective = compute()
    }
    return effective
  }
  const check = async (judge: (change: Change) => Promise<boolean>): Promise<void> => {
    for (const { file, word } of files) {
      const text = textOf(file)
      if (text === texts.get(file)) continue
      texts.set(file, text)
      if (!(await judge({ source: word, file }))) continue
      applied.set(file, text)
      effective = compute()
    }
  }
  return {
    now,
    follow: (judge) => {
      let busy = false
      const timer = setInterval(() => {
        if (busy) return
        busy = true
        void check(judge).finally(() => {
          busy = false
        })
      }, everyMs)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** Names of the agents that a plugin or a settings directory brings. */
export const agentNames = (directory: string): string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3))
  } catch {
    // No such directory: no agents.
    return []
  }
}
