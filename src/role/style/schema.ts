import * as z from 'zod'

export const colors = [
  'blue',
  'azure',
  'indigo',
  'purple',
  'pink',
  'red',
  'orange',
  'yellow',
  'lime',
  'green',
  'teal',
  'cyan',
  'gray',
] as const

export const style = z
  .strictObject({
    color: z.enum(colors).optional().meta({ description: 'Its colour in lists and in the view.' }),
    icon: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'must be the name of an icon, such as bolt' })
      .optional()
      .meta({ description: 'Its icon in the view, by name: `search`, `bolt`.' }),
  })
  .meta({ id: 'Style', description: 'How the role looks.' })
export type Style = z.infer<typeof style>
