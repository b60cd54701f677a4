// What is wrong or doubtful in a director's file, beyond the kinds of its values.
import { neverHappens, parseCron } from '../../base/cron/rules.ts'
import { doubt, type Remark, wrong } from '../../base/remark/rules.ts'
import type { ScheduleEntry } from '../scheduler/schema.ts'
import type { DirectorFile } from '../schema.ts'
import { unknownPlaceholders } from '../template/rules.ts'

/** Also for what comes over the API: a line that never happens would keep a scheduler searching for ever. */
export const checkSchedule = (entries: readonly ScheduleEntry[]): Remark[] =>
  entries.flatMap((entry, place) => {
    const found: Remark[] = []
    const at = ['schedule', place]
    if (entries.findIndex((each) => each.name === entry.name) < place) {
      found.push(wrong([...at, 'name'], `"${entry.name}" is used twice`))
    }
    const parsed = parseCron(entry.cron)
    if ('problem' in parsed) found.push(wrong([...at, 'cron'], parsed.problem))
    else if (neverHappens(parsed.cron)) {
      found.push(wrong([...at, 'cron'], `"${entry.cron}" never happens: no month has that day`))
    }
    return found
  })

const checkPrompts = (prompts: Readonly<Record<string, string>>): Remark[] =>
  Object.entries(prompts).flatMap(([key, text]) =>
    unknownPlaceholders(text).map(({ name, meant }) =>
      doubt(['prompts', key], `{{.${name}}} is not filled in`, meant && `{{.${meant}}}`),
    ),
  )

export const checkDirector = (director: DirectorFile): Remark[] => {
  switch (director.type) {
    case 'scheduler':
      return checkSchedule(director.schedule)
    case 'github':
    case 'gitlab':
      return checkPrompts(director.prompts)
    case 'view':
    case 'web':
      if (director.bind !== '0.0.0.0' && director.bind !== '::') return []
      return [doubt(['bind'], `is ${director.bind}: everyone who reaches this machine reaches the page`)]
    default:
      return []
  }
}
