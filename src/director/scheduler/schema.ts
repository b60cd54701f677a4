// A director that starts tasks by the clock.
import * as z from 'zod'
import { duration } from '../../base/duration/schema.ts'
import { name } from '../../base/name/schema.ts'
import { model, path } from '../../role/schema.ts'
import { directorFields } from '../field/schema.ts'

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    // The only thing it throws: there is no such zone.
    return false
  }
}

const timezone = z
  .string()
  .refine(isZone, { error: 'must be a time zone, such as Europe/Berlin or UTC' })
  .meta({ description: 'Time zone of the cron lines, such as Europe/Berlin; absent = that of this machine.' })

const missed = z
  .enum(['once', 'skip'])
  .meta({ description: 'Runs that were missed: make up for them with one run, or leave them.' })

const overlap = z
  .enum(['skip', 'queue'])
  .meta({ description: 'When the last run is still going: leave this one out, or let it wait.' })

export const scheduleEntry = z
  .strictObject({
    name: name.meta({ description: 'Its name; no two entries share one.' }),
    cron: z
      .string()
      .meta({ description: 'When: `minute hour day month weekday`, or `@daily` and the like.' }),
    prompt: z.string().trim().min(1).meta({ description: 'What the agent is told.' }),
    enabled: z.boolean().default(true).meta({ description: 'false = it does not run by itself.' }),
    agent: name.optional().meta({ description: 'The agent that gets it; absent = any that fits.' }),
    role: name.optional().meta({ description: 'Only agents of this role get it.' }),
    model: model.optional(),
    timeout: duration.optional().meta({ description: 'How long a run may take.' }),
    root_dir: path
      .optional()
      .meta({ description: 'Where it works. Two runs never share a directory at once.' }),
    workdir: path.optional().meta({ description: 'An older word for `root_dir`.' }),
    timezone: timezone.optional().meta({ description: 'As above, for this entry.' }),
    missed: missed.optional().meta({ description: 'As above, for this entry.' }),
    overlap: overlap.optional().meta({ description: 'As above, for this entry.' }),
  })
  .refine((entry) => entry.root_dir === undefined || entry.workdir === undefined, {
    path: ['workdir'],
    error: 'is an older word for root_dir: write only one of them',
  })
  .meta({ id: 'ScheduleEntry', description: 'One scheduled task.' })
export type ScheduleEntry = z.infer<typeof scheduleEntry>

export const schedulerFile = z
  .strictObject({
    type: z.literal('scheduler').meta({ description: 'A director that starts tasks by the clock.' }),
    ...directorFields,
    timezone: timezone.optional(),
    missed: missed.default('once'),
    overlap: overlap.default('skip'),
    schedule: z.array(scheduleEntry).default([]).meta({ description: 'What to start, and when.' }),
  })
  .meta({ id: 'Scheduler', description: 'A director that starts tasks by the clock.' })
export type SchedulerFile = z.infer<typeof schedulerFile>
