import type { ComponentState, ComponentType } from '../../registry/schema.ts'

export type Shown = {
  readonly id: string
  readonly name: string
  readonly type: ComponentType
  readonly state: ComponentState
  readonly message?: string | undefined
  readonly port?: number | undefined
}

/** A header and a row each; nothing where there is nothing. */
export const componentRows = (components: readonly Shown[]): string[][] =>
  components.length === 0
    ? []
    : [
        ['NAME', 'TYPE', 'STATE', 'PORT', ''],
        ...components.map(({ name, type, state, port, message = '' }) => [
          name,
          type,
          state,
          port === undefined ? '-' : String(port),
          message,
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
