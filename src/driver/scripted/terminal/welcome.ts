// What stands between starting the CLI and its prompt: onboarding, trust, API key, the warning of bypass mode.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { globalFile, isTrusted, readGlobal } from '../session/open.ts'
import type { Desk } from './desk.ts'

type Json = Record<string, unknown>

/** The real CLI needs the network here; without it, it leaves. */
export const onboarded = (env: NodeJS.ProcessEnv): boolean => readGlobal(env).hasCompletedOnboarding === true

const change = (env: NodeJS.ProcessEnv, edit: (before: Json) => Json): void => {
  const file = globalFile(env)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(edit(readGlobal(env)), null, 2), { mode: 0o600 })
}

const trust = async (desk: Desk, env: NodeJS.ProcessEnv, cwd: string): Promise<boolean> => {
  if (isTrusted(env, cwd)) return true
  const title = ['Accessing workspace:', cwd, '', 'Is this a project you created or one you trust?']
  const options = ['Yes, I trust this folder', 'No, exit']
  if ((await desk.choose({ title, options, preset: 1, plain: true })) !== 0) return false
  change(env, (before) => {
    const projects = (before.projects ?? {}) as Record<string, Json>
    return { ...before, projects: { ...projects, [cwd]: { ...projects[cwd], hasTrustDialogAccepted: true } } }
  })
  return true
}

/** Keys are remembered by their last 20 characters. */
const keyOf = async (desk: Desk, env: NodeJS.ProcessEnv): Promise<void> => {
  const key = env.ANTHROPIC_API_KEY
  const answers = (readGlobal(env).customApiKeyResponses ?? {}) as {
    approved?: string[]
    rejected?: string[]
  }
  const known = [...(answers.approved ?? []), ...(answers.rejected ?? [])]
  if (!key || known.some((each) => each === key || each === key.slice(-20))) return
  const title = ['Detected a custom API key in your environment', '', 'Do you want to use this API key?']
  const yes = (await desk.choose({ title, options: ['Yes', 'No (recommended)'], preset: 1 })) === 0
  const list = yes ? 'approved' : 'rejected'
  change(env, (before) => ({
    ...before,
    customApiKeyResponses: {
      approved: [],
      rejected: [],
      ...answers,
      [list]: [...(answers[list] ?? []), key.slice(-20)],
    },
  }))
}

const bypass = async (desk: Desk, env: NodeJS.ProcessEnv, skip: boolean): Promise<boolean> => {
  if (skip || readGlobal(env).bypassPermissionsModeAccepted === true) return true
  const title = [
    'WARNING: Claude Code running in Bypass Permissions mode',
    'In this mode Claude Code will not ask for your approval before running potentially dangerous commands.',
    '',
  ]
  if ((await desk.choose({ title, options: ['No, exit', 'Yes, I accept'], preset: 0 })) !== 1) return false
  change(env, (before) => ({ ...before, bypassPermissionsModeAccepted: true }))
  return true
}

/** False = the person chose to leave. */
export const welcome = async (
  desk: Desk,
  env: NodeJS.ProcessEnv,
  about: { cwd: string; bypass: boolean; skipBypass: boolean },
): Promise<boolean> => {
  if (!(await trust(desk, env, about.cwd))) return false
  await keyOf(desk, env)
  return !about.bypass || bypass(desk, env, about.skipBypass)
}
