import type { ComponentState, ComponentType } from '../../registry/schema.ts'

export type Shown = {
  readonly id: string
  readonly name: string
  readonly type: ComponentType
  readonly state: ComponentState
  readonly message?: string | undefined
  readonly port?: number | undefined
  readonly pod?: string | undefined
  readonly current_task?: { readonly id: string; readonly prompt_preview: string } | null | undefined
}

/** Why it is in its state; else what it works on. */
const remark = ({ message, current_task: task }: Shown): string =>
  message ?? (task ? `${task.id}: ${task.prompt_preview}` : '')

/** A header and a row each; nothing where there is nothing. */
export const componentRows = (components: readonly Shown[]): string[][] =>
  components.length === 0
    ? []
    : [
        ['NAME', 'TYPE', 'STATE', 'PORT', ''],
        ...components.map((shown) => [
          shown.name,
          shown.type,
          shown.state,
          shown.port === undefined ? '-' : String(shown.port),
          remark(shown),
        ]),
      ]

/** Which component a name means: an id says it exactly; of two with one name the agent is meant. */
export const named = <C extends Pick<Shown, 'id' | 'name' | 'type'>>(
  components: readonly C[],
  name: string,
): C | undefined =>
  components.find(({ id }) => id === name) ??
  components.find((each) => each.name === name && each.type === 'agent') ??
  components.find((each) => each.name === name)
