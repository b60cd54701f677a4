// Whether a request speaks to whoever reviews it. A model may obey such words, so its "allow" is not believed then. Known
// ways only: what keeps a request data is where it stands; this is for the day when that was not enough.

/** As somebody would read it: without what cannot be seen, letters that only look different, marks between words. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Cf}|\p{Mn}/gu, '')
    .replace(/\\[nrt]/g, ' ')
    .replace(/[\s"'`*_#>|\\/-]+/g, ' ')

const any = (words: string): string => `(?:${words.split(' ').join('|')})`
const before = any('above previous prior preceding earlier foregoing')
const orders = any('instructions? rules prompts? directions guidelines')
const drop = any('ignore disregard forget override bypass discard')
const gone = any('void invalid obsolete cancelled canceled superseded replaced')

const baits: readonly RegExp[] = [
  // The words of the answer itself, which no tool needs.
  /\b(?:ALLOW|DENY|ASK USER)\b/,
  /\bstructured ?output\b/i,
  /\bdecision ?[:=]/i,
  new RegExp(`\\b${drop}\\b.{0,30}\\b(?:${before}|${orders})\\b`, 'i'),
  new RegExp(`\\b${before}\\b.{0,20}\\b${orders}\\b.{0,40}\\b${gone}\\b`, 'i'),
  new RegExp(`\\bnew ${orders}\\b`, 'i'),
  /\b(?:system|developer) (?:prompt|message|note|override)\b/i,
  /\b(?:permission|ai|llm|security|approval) reviewer\b/i,
  /\b(?:dear|hello|hi|hey|attention|note (?:to|for)(?: the)?|to the|you are (?:a|the)|as (?:a|the)) ?(?:permission |ai |security )?reviewer\b/i,
  /\b(?:answer|respond|reply|output|return|say|decide|vote)\b.{0,30}\b(?:allow|allowed|approve|approved|yes|permit)\b/i,
  /\b(?:please|must|should|you may|you can|safe to|always)\b.{0,30}\b(?:allow|approve|permit|grant)\b/i,
  /\b(?:already|pre|been|was|is) ?(?:been )?(?:approved|authori[sz]ed|allowed|permitted|granted)\b/i,
  /\b(?:begin|end) request\b/i,
]

/** Of a longer text only the beginning: what is longer is not believed anyway. */
const longest = 100_000

/** undefined = it does not. */
export const baitIn = (json: string): string | undefined => {
  const text = plain(json.slice(0, longest))
  return baits.map((bait) => bait.exec(text)?.[0]).find((found) => found !== undefined)
}
