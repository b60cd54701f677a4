// `claude -p`: one prompt, its turns, one result (or one for each background task that ends later).
import { randomUUID } from 'node:crypto'
import type { Mode } from '../argv/schema.ts'
import type { Json } from '../hook/rules.ts'
import { begin, finish, submit } from '../session/begin.ts'
import { compact } from '../session/compact.ts'
import type { Context, Screen } from '../session/context.ts'
import { converse, remind } from '../session/converse.ts'
import { openSession, type Started } from '../session/open.ts'
import type { Ending } from '../session/rules.ts'
import { onSignals } from '../session/signals.ts'
import { agentTypes } from '../session/subagent.ts'
import { tool as structuredOutput } from '../structured/rules.ts'
import { endChildren } from '../tool/group.ts'
import { offered } from '../tool/rules.ts'
import { readStdin } from './input.ts'
import { once, readLines } from './lines.ts'
import { exitOf, type Ran, refusedLine, resultLine, textOf } from './rules.ts'

const out = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)
const never = (): Promise<never> => new Promise(() => undefined)

const initLine = (context: Context): Json => ({
  type: 'system',
  subtype: 'init',
  cwd: context.cwd,
  session_id: context.session,
  tools: [
    ...offered(context.options.tools, context.options.disallowed).map((name) =>
      name === 'Agent' ? 'Task' : name,
    ),
    ...(context.options.shape === undefined ? [] : [structuredOutput]),
  ],
  mcp_servers: [],
  model: context.model,
  permissionMode: context.state.mode,
  slash_commands: ['compact', 'context'],
  apiKeySource: context.env.ANTHROPIC_API_KEY ? 'ANTHROPIC_API_KEY' : 'none',
  claude_code_version: context.version,
  output_style: 'default',
  agents: agentTypes(context),
  skills: [],
  plugins: context.options.plugins.map((path) => ({ path })),
  uuid: randomUUID(),
})

/** What is said without a turn of the model. */
const local = (text: string): Ending => ({
  reason: 'completed',
  text,
  turns: 0,
  usage: { input: 0, output: 0 },
  stop: null,
})

const blocked = (words: string, prompt: string): Ending =>
  local(`UserPromptSubmit operation blocked by hook:\n${words}\n\nOriginal prompt: ${prompt}`)

const turn = async (
  context: Context,
  prompt: string,
  extra: string | undefined,
  signal: AbortSignal,
): Promise<Ending> => {
  if (prompt.trim() === '/compact') return local(await compact(context, signal))
  context.transcript.queue('enqueue', prompt)
  context.transcript.queue('dequeue')
  const heard = await submit(context, prompt, { signal })
  if (signal.aborted) return { ...local(''), reason: 'aborted_streaming' }
  if ('blocked' in heard) return blocked(heard.blocked, prompt)
  context.state.prompt = heard.id
  context.transcript.user(prompt, {
    promptId: context.state.prompt,
    permissionMode: context.state.mode,
    promptSource: 'sdk',
  })
  const { maxTurns } = context.options
  const conversation = { said: prompt, transcript: context.transcript, signal }
  remind(conversation, [extra, heard.context])
  return converse(context, maxTurns === undefined ? conversation : { ...conversation, maxTurns })
}

/** Makes the result line of each turn; the totals in it are those of the session. */
const reporter = (context: Context, emit: (line: Json) => void): ((ending: Ending) => Ran) => {
  const began = performance.now()
  let index = 0
  return (ending) => {
    const { maxTurns: turns, maxCost: cost } = context.options
    const ran: Ran = { ...ending, limits: { turns, cost } }
    const { session, state } = context
    const ms = Math.round(performance.now() - began)
    const about = {
      session,
      uuid: randomUUID(),
      index: index++,
      spent: state.spent,
      denials: state.denials,
      ms,
    }
    emit(resultLine(ran, about))
    return ran
  }
}

const lacking =
  'Error: Input must be provided either through stdin or as a prompt argument when using --print'

/** What another program may ask of a session that lives on its stdin. */
const answer = (context: Context, asked: Json, interrupt: () => void): void => {
  if (asked.subtype === 'interrupt') interrupt()
  if (asked.subtype === 'set_permission_mode')
    context.state.mode = asked.mode === 'manual' ? 'default' : (asked.mode as Mode)
}

const screenOf = (emit: (line: Json) => void): Screen => {
  const quiet = (): void => undefined
  return { emit, piece: quiet, tool: quiet, note: quiet, queued: () => undefined }
}

export const runPrint = async ({ options, told, env, leave }: Started): Promise<number> => {
  const lives = options.input === 'stream-json'
  const typed = lives ? '' : await readStdin(complain)
  const prompt = [options.prompt, typed.trimEnd()].filter((part) => part).join('\n')
  const lines: Json[] = []
  const emit = (line: Json): void => {
    if (options.output === 'stream-json') out(JSON.stringify(line))
    else lines.push(line)
  }
  const opened = openSession({ options, told, env }, screenOf(emit), false)
  if ('problem' in opened) {
    // Only a stream has a result line for this; all else is words on stderr.
    if (opened.session && options.output === 'stream-json') emit(refusedLine(opened))
    else complain(opened.problem)
    return 1
  }
  if (prompt === '' && !lives) {
    complain(lacking)
    return 1
  }
  const { context, resumed } = opened
  if (context.settings.now().untrusted)
    complain('Permissions of this project are ignored: this workspace has not been trusted.')
  let turning = new AbortController()
  let bySignal = false
  process.on('SIGINT', () => {
    bySignal = true
    turning.abort()
  })
  const { leaving } = onSignals(context, told.trouble?.ignore_sigterm === true, leave)
  const prompts = lives
    ? readLines(process.stdin, (id, asked) => {
        answer(context, asked, () => turning.abort())
        emit({ type: 'control_response', response: { subtype: 'success', request_id: id, response: {} } })
      })
    : once(prompt)
  const start = await begin(context, resumed ? 'resume' : 'startup')
  const report = reporter(context, emit)
  let last: Ran | undefined
  let extra = start.context
  const play = async (text: string): Promise<Ending> => {
    turning = new AbortController()
    if (bySignal) turning.abort()
    if (lives || last === undefined) emit(initLine(context))
    const ending = await turn(context, text, extra, turning.signal)
    extra = undefined
    // A signal has the last word: nothing may be said after it.
    return leaving() ? never() : ending
  }
  if (start.first !== undefined) await play(start.first)
  for (let text = await prompts.next(); text !== undefined && !bySignal; text = await prompts.next()) {
    last = report(await play(text))
    // In the order in which they end: each is a turn of its own.
    for (let notice = await context.tasks.next(); notice !== undefined && !bySignal; ) {
      last = report(await play(notice))
      notice = await context.tasks.next()
    }
  }
  endChildren()
  await finish(context, 'other')
  // A hook that nobody waits for ends with the run.
  endChildren()
  if (leaving()) await never()
  if (!last) return 0
  if (options.output === 'json')
    out(JSON.stringify(options.verbose ? lines : lines.findLast(({ type }) => type === 'result')))
  if (options.output === 'text') out(textOf(last))
  if (context.state.unjudged) complain('The permission classifier is unavailable; a tool call was refused.')
  return exitOf(last, bySignal, context.state.unjudged)
}
