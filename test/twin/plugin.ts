// The gate's plugin in a session of either program: what a reviewer types, what the gate has kept.
import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Call, Reply, Script } from '../../src/driver/scripted/scenario/schema.ts'
import type { Review } from '../../src/review/schema.ts'
import type { Rig } from './rig.ts'
import { agent, bash } from './say.ts'

const folder = resolve('dist/plugin')
export const plugged = ['--plugin-dir', folder]
export const roz = join(folder, 'bin/roz')

export const spawns = (background = false): Call =>
  agent('SESSION_ID=x Review the work of this session.', {
    subagent_type: 'roz:roz',
    run_in_background: background,
  })

export const secret = '{{heard:--secret ([0-9a-f]{64})}}'
const begin = '{{heard: (\\S+/bin/roz) decide}} decide {{heard:roz decide (\\S+) COMPLETE}}'

/** Typed as the gate gave it: then it needs no permission. */
export const decides = (verdict: 'COMPLETE' | 'ISSUES', message = 'There is no test.'): Call =>
  bash(`${begin} ${verdict} 'I looked' ${verdict === 'ISSUES' ? `-m '${message}' ` : ''}--secret ${secret}`)

/** The reviewer, each time it is spawned. */
export const reviews = (...verdicts: ('COMPLETE' | 'ISSUES')[]): Script => ({
  match: 'Review the work',
  subagent: true,
  replies: verdicts.flatMap((verdict): Reply[] => [
    { calls: [decides(verdict)] },
    { text: 'I have decided.' },
  ]),
})

/** What the working agent says to a refusal that asks for a review. */
export const obeys = (...replies: Reply[]): Script => ({ match: 'SESSION_ID=', subagent: false, replies })

export const configure = async (rig: Rig, review: object): Promise<void> => {
  await ran(rig, resolve('bin/agency'), ['init'])
  await rig.write('home/.agency/config.yaml', { review })
}

/** A program of the rig's own on PATH, which leaves a line for each call. */
export const tool = async (rig: Rig, name: string): Promise<Record<string, string>> => {
  await mkdir(join(rig.dir, 'bin'), { recursive: true })
  const file = await rig.write(`bin/${name}`, `#!/bin/sh\necho "$*" >> '${rig.dir}/${name}.log'\n`, 0o755)
  return { PATH: `${dirname(file)}:${rig.env().PATH}` }
}

export const ran = (
  rig: Rig,
  program: string,
  args: string[],
): Promise<{ code: number | null; out: string }> => {
  const child = spawn(program, args, { cwd: rig.work, env: rig.env(), stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => done({ code, out }))
  })
}

export const kept = async (rig: Rig, session: string): Promise<Review> => {
  const { out } = await ran(rig, roz, ['debug', session, '--json'])
  return (JSON.parse(out) as { review: Review }).review
}

/** The names of what happened, in their order. */
export const traced = async (rig: Rig, session: string): Promise<string[]> => {
  const { out } = await ran(rig, roz, ['trace', session, '--json'])
  return (JSON.parse(out) as { events: { name: string }[] }).events.map(({ name }) => name)
}
