import type { Call } from '../io.ts'
import { checkName } from '../name.ts'

/** Whether roles are looked at as an agent of a pod finds them: those of pods first. */
export const asInPod = ({ values, io }: Call): boolean => {
  const pod = values.pod ?? io.env.AGENCY_POD
  return Boolean(pod && checkName('pod name', pod))
}
