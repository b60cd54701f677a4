// The kinds of component this version can run. The interfaces are those that answer today.
import { agentKind } from '../agent/kind.ts'
import type { AgentFile } from '../agent/schema.ts'
import { fail, failure } from '../base/error/fail.ts'
import { directorKind } from '../director/kind.ts'
import type { DirectorFile } from '../director/schema.ts'
import type { Kind } from './component.ts'
import { type HeadlessAround, headlessKind } from './headless.ts'

/** A command without a role: nothing tells what it does. */
export const plainAgent: Kind<AgentFile> = {
  type: 'agent',
  place: 'agents',
  file: agentKind,
  interfaces: ['statusable'],
  configFile: (layout, name) => layout.agentConfig(name),
  logFile: (layout, name) => layout.agentLog(name),
  // It is there already: nothing configures it.
  make: ({ name }) => fail('internal', { what: `"${name}" is launched, not made` }),
}

/** Launched from a role. */
export const launchedAgent: Kind<AgentFile> = {
  ...plainAgent,
  interfaces: ['statusable', 'taskable', 'observable'],
}

const director: Kind<DirectorFile> = {
  type: 'director',
  place: 'directors',
  file: directorKind,
  interfaces: ['statusable'],
  configFile: (layout, name) => layout.directorConfig(name),
  logFile: (layout, name) => layout.directorLog(name),
  make: ({ name, config }) => ({
    routes: [],
    start: async () => {
      throw failure('not_available', { what: `The ${config.type} director "${name}"` })
    },
    currentTask: () => null,
    finish: async () => {},
  }),
}

export const kindsOf = (around: HeadlessAround): readonly Kind[] => [headlessKind(around), director]
