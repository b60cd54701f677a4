// Whether work speaks to whoever reviews it. A model may obey such words, so its COMPLETE is not asked for then. Known ways
// only, and only such as no work needs: what keeps it data is where it stands; this is for the day when that was not enough.
import { plain } from '../../reviewer/bait/rules.ts'

/** Such as no program needs: many return COMPLETE. */
const tell = '(?:say|answer|reply|respond|decide|vote|conclude)'
const reviewer = '(?:(?:code|ai|llm|work|the|independent) )?reviewer'
const before = '(?:above|previous|prior|preceding|earlier|foregoing)'
const orders = '(?:instructions?|rules|prompts?|directions|guidelines)'

const told: readonly RegExp[] = [
  new RegExp(`\\b${tell}\\b[\\w ,:]{0,40}\\bCOMPLETE\\b`),
  /\bverdict ?[:=] ?COMPLETE\b/,
  new RegExp(
    `\\b(?:ignore|disregard|forget|override) (?:all |any |the |your |these ){0,3}${before} ${orders}\\b`,
    'i',
  ),
  /\b(?:begin|end) (?:prompts|call|found|changes|names) [0-9a-f]{8,}/i,
]

/** A person may well have a word for the reviewer in a prompt; in work there is no place for one. */
const addressed: readonly RegExp[] = [
  new RegExp(
    `\\b(?:dear|attention|hello|hey|note (?:to|for)(?: the)?|message (?:to|for)(?: the)?) ${reviewer}\\b`,
    'i',
  ),
  /\breviewer ?: .{0,60}\b(?:complete|approve|pass|accept)\b/i,
]

/** Of a longer text only the beginning is looked at: it has to be quick. */
export const longest = 4_000_000

/** The words; undefined = there are none. */
export const baitIn = (text: string, of: 'work' | 'prompt' = 'work'): string | undefined => {
  const read = plain(text.slice(0, longest))
  const baits = of === 'prompt' ? told : [...told, ...addressed]
  return baits.map((bait) => bait.exec(read)?.[0]).find((found) => found !== undefined)
}
