// The view, where it has a file of its own in directors/.
import * as z from 'zod'
import { path } from '../../role/schema.ts'
import { directorFields } from '../field/schema.ts'

export const viewFile = z
  .strictObject({
    type: z.enum(['view', 'web']).meta({ description: 'The web page.' }),
    ...directorFields,
    bind: z
      .string()
      .regex(/^(localhost|(\d{1,3}\.){3}\d{1,3}|[\da-f]*:[\da-f:.]*)$/i, {
        error: 'must be an address, such as 127.0.0.1',
      })
      .refine(
        (address) => !/^[\d.]+$/.test(address) || address.split('.').every((part) => Number(part) < 256),
        {
          error: 'must be an address, such as 127.0.0.1',
        },
      )
      .default('127.0.0.1')
      .meta({ description: 'The address it listens on; 0.0.0.0 = every one of this machine.' }),
    tls: z
      .strictObject({
        cert: path.optional().meta({ description: 'The certificate; absent = `view/cert.pem` of the root.' }),
        key: path.optional().meta({ description: 'Its key; absent = `view/key.pem` of the root.' }),
        auto_generate: z.boolean().default(true).meta({ description: 'Make them where they are missing.' }),
      })
      .refine((tls) => (tls.cert === undefined) === (tls.key === undefined), {
        error: 'needs both cert and key, or neither',
      })
      .prefault({})
      .meta({ description: 'The certificate of the page.' }),
  })
  .meta({ id: 'View', description: 'The web page.' })
export type ViewFile = z.infer<typeof viewFile>
