// What every file in directors/ may say.
import * as z from 'zod'
import { listenPort, logLevel } from '../../agent/schema.ts'
import { name } from '../../base/name/schema.ts'
import { discovery } from '../discovery/schema.ts'

export const directorFields = {
  $schema: z.string().optional().meta({ description: 'For editors; agency does not read it.' }),
  name: name.optional().meta({ description: 'Its name; absent = the name of its directory.' }),
  description: z.string().optional().meta({ description: 'One line for lists.' }),
  port: listenPort.optional(),
  log_level: logLevel,
  discovery,
}
