// The story of agency, told by doing it. Nothing is claimed that was not just seen.
import type { Handler } from '../io.ts'
import { acts } from './acts.ts'
import { setStage } from './stage.ts'

export const run: Handler = async (call) => {
  const brief = call.flags.has('check')
  const stage = await setStage(call)
  if (!brief) {
    call.say('This happens in a temporary root; yours is not touched, and no account is needed.')
    call.say(`  root        ${stage.root}`)
    call.say(`  repository  ${stage.repository}`)
  }
  const proved: { claim: string; seen: string }[] = []
  for (const [at, { claim, story, prove }] of acts.entries()) {
    if (!brief) call.say(`\n${at + 1}. ${story}`)
    const seen = await prove(stage)
    call.say(brief ? `ok  ${claim}` : `   ✓ ${claim}\n     ${seen}`)
    proved.push({ claim, seen })
  }
  return {
    data: { proved },
    lines: [
      '',
      `${proved.length} of ${acts.length} claims hold. The temporary root is removed.`,
      ...(brief ? [] : ['Next: `agency init` makes a root of your own.']),
    ],
  }
}
