// `claude` on a terminal: from its first dialogs to the way out.
import { begin, finish } from '../session/begin.ts'
import type { Context } from '../session/context.ts'
import { openSession, type Started } from '../session/open.ts'
import { onSignals } from '../session/signals.ts'
import { endChildren } from '../tool/group.ts'
import { attend, type Queued } from './attend.ts'
import { type Desk, openDesk } from './desk.ts'
import { openScreen } from './screen.ts'
import { onboarded, welcome } from './welcome.ts'

type Line = { type?: string; message?: { content?: unknown } }

const history = (context: Context, desk: Desk): void => {
  for (const { type, message } of context.transcript.past as Line[]) {
    const content = message?.content
    const blocks =
      typeof content === 'string' ? [{ text: content }] : ((content ?? []) as { text?: string }[])
    for (const { text } of blocks) if (text) desk.log(type === 'user' ? `> ${text}` : `● ${text}`)
  }
}

export const runTerminal = async ({ options, told, env, leave }: Started): Promise<number> => {
  if (!onboarded(env)) {
    process.stdout.write('Unable to connect to Anthropic services\nFailed to connect to api.anthropic.com\n')
    return 1
  }
  const desk = openDesk(process.stdout)
  const queue: Queued[] = []
  const screen = openScreen(desk, () => queue.shift()?.text)
  const opened = openSession({ options, told, env }, screen, true)
  if ('problem' in opened) {
    desk.end()
    process.stderr.write(`${opened.problem}\n`)
    return 1
  }
  const { context, resumed } = opened
  const bypass = context.state.mode === 'bypassPermissions'
  const skipBypass = context.settings.now().noBypassDialog
  if (!(await welcome(desk, env, { cwd: context.cwd, bypass, skipBypass }))) {
    desk.end()
    return 1
  }
  onSignals(context, told.trouble?.ignore_sigterm === true, (code) => {
    desk.end()
    leave(code)
  })
  desk.log(`✻ Welcome to Claude Code ${context.version}\n  ${context.cwd}`)
  if (resumed) history(context, desk)
  const start = await begin(context, resumed ? 'resume' : 'startup')
  const { enter, left, stop } = attend(context, desk, screen, queue, start.context)
  for (const first of [start.first, options.prompt]) if (first !== undefined) enter(first)
  await left
  stop()
  endChildren()
  await finish(context, 'prompt_input_exit')
  endChildren()
  desk.end()
  process.stdout.write(`\nResume this session with:\nclaude --resume ${context.session}\n`)
  return 0
}
