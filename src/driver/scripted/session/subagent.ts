// The Agent tool: another conversation inside the session, waited for or in the background.
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Json } from '../hook/rules.ts'
import { agentNames, pluginName } from '../settings/live.ts'
import type { Outcome } from '../tool/place.ts'
import type { Context } from './context.ts'
import { converse, remind } from './converse.ts'
import { openTranscript } from './transcript.ts'

/** The kinds that are always there; a plugin's are named `plugin:agent` and by no shorter name. */
const builtIn = ['general-purpose', 'Explore', 'Plan', 'statusline-setup']

export const agentTypes = ({
  options,
  cwd,
  config,
}: Pick<Context, 'options' | 'cwd' | 'config'>): string[] => {
  const own = options.sources === undefined || options.sources.includes('project')
  return [
    ...builtIn,
    ...Object.keys(options.agents === undefined ? {} : (JSON.parse(options.agents) as Json)),
    ...(own ? agentNames(join(cwd, '.claude', 'agents')) : []),
    ...agentNames(join(config, 'agents')),
    ...options.plugins.flatMap((root) =>
      agentNames(join(root, 'agents')).map((name) => `${pluginName(root)}:${name}`),
    ),
  ]
}

export const delegate =
  (context: () => Context) =>
  async (input: Json, id: string, signal: AbortSignal): Promise<Outcome> => {
    const { transcript: main, hooks, env, tasks, session, cwd, version, options, screen } = context()
    const type = String(input.subagent_type ?? 'general-purpose')
    const types = agentTypes(context())
    if (!types.includes(type))
      return { ok: false, content: `Agent type '${type}' not found. Available agents: ${types.join(', ')}` }
    const agent = { id: `a${randomBytes(8).toString('hex')}`, type }
    const path = join(main.path.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent.id}.jsonl`)
    const transcript = openTranscript(path, { session, cwd, version, keep: options.keep, agent: agent.id })
    const run = async (until: AbortSignal): Promise<{ text: string; ok: boolean; turns: number }> => {
      const start = await hooks.call('SubagentStart', {}, { agent, signal: until })
      const prompt = String(input.prompt)
      transcript.user(prompt)
      const conversation = { said: prompt, agent, transcript, parent: id, signal: until }
      remind(conversation, [start.context])
      const ending = await converse(context(), conversation)
      return { text: ending.text, ok: ending.trouble === undefined, turns: ending.turns }
    }
    const background = input.run_in_background !== false && env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS !== '1'
    if (background) {
      const description = String(input.description)
      const told = { task_id: agent.id, tool_use_id: id, description, session_id: session }
      screen.emit({
        type: 'system',
        subtype: 'task_started',
        ...told,
        task_type: 'local_agent',
        uuid: randomUUID(),
      })
      // Esc ends the turn, not what runs behind it.
      const result = run(new AbortController().signal).then(({ text }) => {
        const end = {
          type: 'system',
          subtype: 'task_notification',
          ...told,
          status: 'completed',
          summary: text,
        }
        screen.emit({ ...end, uuid: randomUUID() })
        return text
      })
      tasks.start({ id: agent.id, type: 'subagent', description, agent_type: type }, result)
      return {
        ok: true,
        content: `Async agent launched successfully.\nagentId: ${agent.id}\nThe agent is working in the background. You will be notified automatically when it completes.`,
        response: {
          isAsync: true,
          status: 'async_launched',
          agentId: agent.id,
          description,
          prompt: input.prompt,
        },
      }
    }
    const { text, ok } = await run(signal)
    if (!ok) return { ok: false, content: text }
    const content = [{ type: 'text', text }]
    return {
      ok: true,
      content: `${text}\nagentId: ${agent.id}`,
      response: { status: 'completed', prompt: input.prompt, agentId: agent.id, agentType: type, content },
    }
  }
