import { expect, test } from 'vitest'
import { type Choice, choose, initTarget, namedPath, upwards } from './rules.ts'
import type { Facts, Place, State } from './schema.ts'

const place = (path: string, state: State, more: Partial<Place> = {}): Place => ({
  path,
  state,
  mine: true,
  open: false,
  trusted: false,
  ...more,
})
const nothing: Facts = { home: place('/h/.agency', 'missing'), h2: place('/h/.h2', 'missing'), make: false }
const named = (
  state: State,
  more: Partial<Place> = {},
  variable: 'AGENCY_ROOT' | 'H2_DIR' = 'AGENCY_ROOT',
) => ({
  named: { variable, place: place('/n', state, more) },
})
const home = (state: State, more: Partial<Place> = {}) => ({ home: place('/h/.agency', state, more) })
const h2 = (state: State) => ({ h2: place('/h/.h2', state) })
const above = (more: Partial<Place> = {}) => ({ upwards: place('/p', 'marked', more) })
const make = { make: true }

const said = (choice: Choice): string =>
  choice.do === 'refuse' ? choice.code : `${choice.do} ${choice.root.directory} via ${choice.root.via}`

test.each<[string, Partial<Facts>, string]>([
  ['named: a root', named('marked'), 'use /n via AGENCY_ROOT'],
  ['named by H2_DIR', named('marked', {}, 'H2_DIR'), 'use /n via H2_DIR'],
  [
    'named wins over all',
    { ...named('marked'), ...above({ trusted: true }), ...home('marked') },
    'use /n via AGENCY_ROOT',
  ],
  ['named: an old root', named('old'), 'mark /n via AGENCY_ROOT'],
  ['named: missing', named('missing'), 'root_missing'],
  ['named: empty', named('empty'), 'root_missing'],
  ['named: half made', named('partial'), 'root_missing'],
  ['named: missing, to be made', { ...named('missing'), ...make }, 'make /n via AGENCY_ROOT'],
  ['named: empty, to be made', { ...named('empty', {}, 'H2_DIR'), ...make }, 'make /n via H2_DIR'],
  ['named: half made, to be made', { ...named('partial'), ...make }, 'make /n via AGENCY_ROOT'],
  ['named: foreign', named('foreign'), 'root_foreign'],
  ['named: foreign, even to be made', { ...named('foreign'), ...make }, 'root_foreign'],
  ['named: a file', { ...named('file'), ...make }, 'root_not_directory'],
  ['named: bad never falls through', { ...named('missing'), ...home('marked') }, 'root_missing'],
  ['named: of another', named('marked', { mine: false }), 'root_of_another'],
  ['named: of another, trusted', named('marked', { mine: false, trusted: true }), 'use /n via AGENCY_ROOT'],
  ['named: open to all', named('marked', { open: true, trusted: true }), 'root_open'],
  ['named: an old root of another is not marked', named('old', { mine: false }), 'root_of_another'],
  ['upwards: not trusted', above(), 'root_untrusted'],
  ['upwards: not trusted never falls through', { ...above(), ...home('marked') }, 'root_untrusted'],
  ['upwards: trusted', above({ trusted: true }), 'use /p via upwards'],
  ['upwards: of another', above({ mine: false }), 'root_of_another'],
  ['upwards: open to all', above({ open: true, trusted: true }), 'root_open'],
  [
    'upwards: the default root itself',
    { ...above({ path: '/h/.agency' }), ...home('marked') },
    'use /h/.agency via home',
  ],
  ['upwards: the old default root', { ...above({ path: '/h/.h2' }), ...h2('marked') }, 'use /h/.h2 via h2'],
  ['home: a root', home('marked'), 'use /h/.agency via home'],
  ['home wins over h2', { ...home('marked'), ...h2('marked') }, 'use /h/.agency via home'],
  ['home: foreign', { ...home('foreign'), ...h2('marked') }, 'root_foreign'],
  ['home: a file', home('file'), 'root_not_directory'],
  ['home: of another', home('marked', { mine: false }), 'root_of_another'],
  ['h2: a root', h2('marked'), 'use /h/.h2 via h2'],
  ['h2: an old root', h2('old'), 'mark /h/.h2 via h2'],
  ['h2: found before one is made', { ...h2('old'), ...make }, 'mark /h/.h2 via h2'],
  ['h2: foreign is nobody', h2('foreign'), 'root_none'],
  ['nothing', {}, 'root_none'],
  ['nothing, to be made', make, 'make /h/.agency via home'],
  ['half made at home', home('partial'), 'root_none'],
  ['half made at home, to be made', { ...home('partial'), ...make }, 'make /h/.agency via home'],
])('%s', (_, facts, expected) => {
  expect(said(choose({ ...nothing, ...facts }))).toBe(expected)
})

test('a refusal has the facts that its message needs', () => {
  expect(choose({ ...nothing, ...named('empty') })).toEqual({
    do: 'refuse',
    code: 'root_missing',
    facts: { variable: 'AGENCY_ROOT', directory: '/n', how: 'empty' },
  })
})

test.each([
  ['/a/b', '/a/b'],
  ['b', '/c/b'],
  ['../b', '/c/../b'],
  ['~', '/h'],
  ['~/x', '/h/x'],
  ['~x', '/c/~x'],
])('%s names %s', (value, expected) => {
  expect(namedPath(value, { cwd: '/c', home: '/h' })).toBe(expected)
})

test.each([
  [{}, '/h/.agency'],
  [{ AGENCY_ROOT: '', H2_DIR: 'x' }, '/c/x'],
  [{ AGENCY_ROOT: '/a', H2_DIR: '/b' }, '/a'],
])('with %j a bare init makes %s', (env, expected) => {
  expect(initTarget({ env, cwd: '/c', home: '/h' })).toBe(expected)
})

test('upwards goes to the top', () => {
  expect(upwards('/a/b')).toEqual(['/a/b', '/a', '/'])
  expect(upwards('/')).toEqual(['/'])
})
