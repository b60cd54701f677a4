import { expect, test } from 'vitest'
import { wallsInWords } from './rules.ts'

test.each([
  ['read-only', { network: 'none' }, 'its tree read-only; no network but the model'],
  [
    'read-write',
    {},
    'its tree read-write; the whole network, where only tokens guard what listens on this machine',
  ],
  [
    'read-write',
    { network: 'proxy', allowed_hosts: ['example.com', '*.npmjs.org'], read_only_paths: ['/data'] },
    'its tree read-write; no network but the model and example.com, *.npmjs.org; also reads /data',
  ],
  [
    'read-write',
    { network: 'proxy', read_write_paths: ['/cache'], memory_mb: 512, max_processes: 99 },
    'its tree read-write; no network but the model and no host at all; also writes /cache; 512 MiB of memory; 99 processes',
  ],
] as const)('%s, %j', (tree, settings, expected) =>
  expect(wallsInWords(tree, JSON.parse(JSON.stringify(settings)))).toBe(expected),
)
