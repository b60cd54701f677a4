// directors/<name>/config.yaml, by `type`.
import * as z from 'zod'
import { githubFile, gitlabFile } from './forge/schema.ts'
import { managerFile } from './manager/schema.ts'
import { schedulerFile } from './scheduler/schema.ts'
import { viewFile } from './view/schema.ts'

export const directorFile = z
  .discriminatedUnion('type', [schedulerFile, githubFile, gitlabFile, managerFile, viewFile])
  .meta({ id: 'Director', title: 'agency director', description: 'A component that makes tasks.' })
export type DirectorFile = z.infer<typeof directorFile>

export const directorTypes = ['scheduler', 'github', 'gitlab', 'manager', 'claude', 'view', 'web']
