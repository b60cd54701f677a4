import fc from 'fast-check'
import { expect, test } from 'vitest'
import { neverHappens, nextTime, parseCron } from './rules.ts'
import type { Civil, Cron } from './schema.ts'

const cron = (line: string): Cron => {
  const parsed = parseCron(line)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed.cron
}

test('a line is taken apart', () => {
  expect(cron('*/20 9-17/4 1,15 jan,3 mon-fri')).toEqual({
    minute: [0, 20, 40],
    hour: [9, 13, 17],
    day: [1, 15],
    month: [1, 3],
    weekday: [1, 2, 3, 4, 5],
    anyDay: false,
    anyWeekday: false,
  })
  expect(cron('0 0 * * 5-7').weekday).toEqual([0, 5, 6])
  expect(cron('50/5 0 * * 0').minute).toEqual([50, 55])
  expect(cron('@daily')).toEqual(cron('0 0 * * *'))
  expect(cron('  0 2 ?  * SUN ')).toEqual(cron('0 2 * * 0'))
})

test.each([
  ['', 'a cron line has 5 fields (minute hour day month weekday), not 0'],
  ['* * * *', 'a cron line has 5 fields (minute hour day month weekday), not 4'],
  ['0 * * * * *', 'a cron line has 5 fields (minute hour day month weekday), not 6'],
  ['60 * * * *', 'minute "60" is not understood; it takes 0-59'],
  ['0 24 * * *', 'hour "24" is not understood; it takes 0-23'],
  ['0 0 0 * *', 'day "0" is not understood; it takes 1-31'],
  ['0 0 1 foo *', 'month "foo" is not understood; it takes 1-12 or jan-dec'],
  ['0 0 L * *', 'day "L" is not understood; it takes 1-31'],
  ['0 0 * * 1#2', 'weekday "1#2" is not understood; it takes 0-7 or sun-sat'],
  ['5-1 * * * *', 'minute "5-1" goes backwards'],
  ['*/0 * * * *', 'minute "*/0" has a step of 0'],
  ['*-5 * * * *', 'minute "*-5" is not understood; it takes 0-59'],
  ['1,,2 * * * *', 'minute "" is not understood; it takes 0-59'],
  ['-1 * * * *', 'minute "-1" is not understood; it takes 0-59'],
  ['@every 5m', '`@every` is not supported; write it as `*/5 * * * *`'],
  ['@reboot', '"@reboot" is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
  ['CRON_TZ=Europe/Berlin 0 0 * * *', 'a time zone belongs in `timezone:`, not in the cron line'],
])('%j is refused', (line, problem) => {
  expect(parseCron(line)).toEqual({ problem })
})

test.each([
  ['0 0 30 2 *', true],
  ['0 0 31 4,6,9,11 *', true],
  ['0 0 30,31 2 *', true],
  ['0 0 29 2 *', false],
  ['0 0 31 * *', false],
  ['0 0 30 2 1', false],
  ['0 0 31 2,3 *', false],
])('%j never happens: %j', (line, never) => {
  expect(neverHappens(cron(line))).toBe(never)
})

const at = (text: string): Civil => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = text.split(/[- :]/).map(Number)
  return { year, month, day, hour, minute }
}

test.each([
  ['0 2 * * *', '2026-11-15 02:00', '2026-11-16 02:00'],
  ['0 2 * * *', '2026-11-15 01:59', '2026-11-15 02:00'],
  ['*/15 * * * *', '2026-12-31 23:59', '2027-01-01 00:00'],
  ['0 9 * * 1', '2026-11-15 10:00', '2026-11-16 09:00'],
  ['0 0 29 2 *', '2026-03-01 00:00', '2028-02-29 00:00'],
  ['0 0 29 2 *', '2096-03-01 00:00', '2104-02-29 00:00'],
  ['0 0 13 * 5', '2026-11-13 00:00', '2026-11-20 00:00'],
  ['30 * * * *', '2026-11-15 10:30', '2026-11-15 11:30'],
])('%j after %s is %s', (line, after, next) => {
  expect(nextTime(cron(line), at(after))).toEqual(at(next))
})

test('what never happens has no next time', () => {
  expect(nextTime(cron('0 0 30 2 *'), at('2026-01-01 00:00'))).toBeUndefined()
})

test('every line either is refused with words or has a next time or never happens', () => {
  const token = fc.constantFrom(
    '*',
    '0',
    '5',
    '31',
    '2',
    '7',
    '1-5',
    '*/7',
    '3/9',
    'feb',
    'mon',
    '1,15',
    'x',
    '30',
  )
  fc.assert(
    fc.property(fc.array(token, { minLength: 5, maxLength: 5 }), (parts) => {
      const parsed = parseCron(parts.join(' '))
      if ('problem' in parsed) expect(parsed.problem).not.toBe('')
      else {
        const next = nextTime(parsed.cron, at('2026-11-15 21:51'))
        expect(next === undefined).toBe(neverHappens(parsed.cron))
      }
    }),
  )
})
