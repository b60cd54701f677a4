import { expect, test } from 'vitest'
import { unfitPlace } from './rules.ts'

test.each([
  'work',
  'work/mine',
  './work/',
  'scratch',
  '/tmp/agency/sessions',
  '/var/tmp/x',
  '/home/ann/s',
  '~/s',
])('sessions may lie in %s', (place) => {
  expect(unfitPlace(place)).toBeUndefined()
})

test.each([
  ['', 'must be a directory for sessions alone, such as work/mine'],
  ['.', 'must be a directory for sessions alone, such as work/mine'],
  ['././', 'must be a directory for sessions alone, such as work/mine'],
  ['..', 'must be a path without ".."'],
  ['../..', 'must be a path without ".."'],
  ['work/../roles', 'must be a path without ".."'],
  ['/tmp/x/..', 'must be a path without ".."'],
  ['/', 'cannot be /, which holds other things: name a directory below it'],
  ['/tmp', 'cannot be /tmp, which holds other things: name a directory below it'],
  ['//tmp/./', 'cannot be /tmp, which holds other things: name a directory below it'],
  ['/var/tmp', 'cannot be /var/tmp, which holds other things: name a directory below it'],
  ['/home/ann', 'cannot be /home/ann, which holds other things: name a directory below it'],
  ['/Users/ann/', 'cannot be /Users/ann, which holds other things: name a directory below it'],
  ['~', 'cannot be ~, which holds other things: name a directory below it'],
  ['~/', 'cannot be ~, which holds other things: name a directory below it'],
  ['/etc/agency', 'cannot be /etc/agency: that belongs to the system'],
  ['/dev/shm', 'cannot be /dev/shm: that belongs to the system'],
  ['roles', 'cannot be roles: the root keeps something else in roles/'],
  ['./sessions/a', 'cannot be sessions/a: the root keeps something else in sessions/'],
  ['credentials', 'cannot be credentials: the root keeps something else in credentials/'],
])('%j is refused', (place, why) => {
  expect(unfitPlace(place)).toBe(why)
})
