// No process inside gets more than it has, outlives the walls, or harms whoever made them.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { argvOf, ground, has, inside, launch, needWalls, patience, untouched, users, wrap } from './kit.ts'

needWalls()

/** Of whatever is on this machine, also inside. */
const running = (mark: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(mark)
    } catch {
      // Ended meanwhile.
      return false
    }
  })

/** Seconds to sleep, and a name: long enough that nothing ends by itself, and ended whatever happens. */
const marked = (seconds: number): string => {
  const mark = `${seconds}${process.pid}`
  onTestFinished(() => {
    for (const pid of [...running(`sleep\0${mark}`), ...running(`/bin/sleep\0${mark}`)])
      process.kill(Number(pid), 'SIGKILL')
  })
  return mark
}

test.each(users)('%s: no capability, no new one, no namespace of its own, no device', async (user) => {
  const at = ground(user)
  const script = `
    grep -E '^(Cap(Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status | tr -d '\\t ' | tr '\\n' ' '
    cp /bin/true own 2>/dev/null && chmod u+s own && [ -u own ] && grep -q nosuid /proc/self/mounts && echo nosuid
    unshare -U true 2>/dev/null && echo NAMESPACE
    unshare -Ur true 2>/dev/null && echo NAMESPACE
    unshare -m true 2>/dev/null && echo NAMESPACE
    nsenter -t 1 -m true 2>/dev/null && echo ENTERED
    mknod disk b 254 0 2>/dev/null && echo DEVICE
    chown 1 own 2>/dev/null && echo CHOWN
    su -c true 2>/dev/null && echo SU
    date -s '2001-01-01' >/dev/null 2>&1 && echo CLOCK
    hostname evil 2>/dev/null && echo HOSTNAME
    dmesg >/dev/null 2>&1 && echo DMESG
    echo done`
  const { out } = await inside(at, script)
  const none = '0'.repeat(16)
  expect(out).toBe(`CapPrm:${none} CapEff:${none} CapAmb:${none} NoNewPrivs:1 nosuid\ndone\n`)
})

test.each(users)('%s: the kernel is not told what to start outside, not even by root', async (user) => {
  const at = ground(user)
  const names = [
    'kernel/core_pattern',
    'kernel/modprobe',
    'kernel/sysrq',
    'vm/drop_caches',
    'kernel/hostname',
  ]
  const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
  // Opened for writing and nothing written: a hole here must not harm whoever looks for it.
  const script = [
    ...names.map((name) => `/proc/sys/${name}`),
    '/proc/sysrq-trigger',
    '/proc/1/oom_score_adj',
    '/proc/self/uid_map',
  ]
    .map((path) => `(exec 3<>${path}) 2>/dev/null && echo ${path}`)
    .join('\n')
  expect((await inside(at, `${script}\ntrue`)).out).toBe('')
  expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before)
})

test.each(users)('%s: whoever made the walls is neither seen, signalled nor traced', async (user) => {
  const at = ground(user)
  const script = `
    kill -9 -1 2>/dev/null
    for pid in 1 ${process.pid} ${process.ppid}; do kill -9 $pid 2>/dev/null; done
    ${has('strace') ? `timeout 5 strace -p ${process.pid} 2>/dev/null && echo TRACED` : ''}
    echo still here`
  const { out } = await inside(at, script)
  expect(out).not.toContain('TRACED')
  untouched(at)
})

test('no terminal: nothing can be typed into that of whoever started it', async () => {
  const at = ground()
  const script = `
    (exec 3<>/dev/tty) 2>/dev/null && echo TTY
    ls /dev/pts | grep -v ptmx
    [ -e /dev/console ] && echo CONSOLE
    ls /dev | grep -E '^(tty[0-9]|vcs|input|mem|kmsg|fuse|kvm|vd|sd)'
    ${has('perl') ? `perl -e 'for my $fd (0,1,2) { open(my $h, "+<&=", $fd); ioctl($h, 0x5412, my $c = "x") and print "TIOCSTI\\n"; ioctl($h, 0x541c, my $d = "\\x02") and print "TIOCLINUX\\n" }'` : ''}
    ps -o sid= -p $$ >/dev/null; echo done`
  expect((await inside(at, script)).out).toBe('done\n')
})

test.each(users)('%s: /tmp, home and shared memory are full before the machine is', async (user) => {
  const at = ground(user)
  const fill = (path: string): string =>
    `dd if=/dev/zero of=${path}/big bs=1M count=2000 2>&1 | grep -o 'No space left' | head -1; stat -c %s ${path}/big; rm -f ${path}/big`
  const { out } = await inside(at, [fill('/dev/shm'), fill('$HOME')].join('\n'))
  expect(out).toBe('No space left\n268435456\nNo space left\n268435456\n')
  expect((await inside(at, "df -k /tmp | tail -1 | tr -s ' ' | cut -d ' ' -f 2")).out).toBe('1048576\n')
})

test('processes are counted: a bomb ends at its limit', async () => {
  const at = ground(users.at(-1))
  const script = 'n=0; while [ $n -lt 200 ]; do sleep 20 & n=$((n+1)); done 2>&1; jobs -p | wc -l'
  const { out, err } = await inside(at, script, { settings: { network: 'full', max_processes: 40 } })
  expect(`${out}${err}`).toMatch(/Cannot fork|Resource temporarily unavailable/)
})

test.each(users)('%s: nothing outlives the program, wherever it went', async (user) => {
  const at = ground(user)
  const mark = marked(314)
  await inside(
    at,
    `setsid sleep ${mark} & (setsid setsid sleep ${mark} &) ; nohup sleep ${mark} >/dev/null 2>&1 & env -i sleep ${mark} & sleep 0.2; true`,
  )
  await expect.poll(() => running(`sleep\0${mark}`), patience).toEqual([])
})

test.each(users)('%s: nor whoever made the walls', async (user) => {
  const at = ground(user)
  const mark = marked(271)
  const { argv, env, walls } = await wrap(at, ['/bin/sh', '-c', `setsid sleep ${mark} & sleep ${mark}`], {
    settings: { network: 'full' },
  })
  expect(walls).toEqual({})
  const [program, ...args] = argvOf(at, argv)
  const start = `require('child_process').spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { env: ${JSON.stringify(env)}, cwd: '/' }); setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['-e', start], { stdio: 'ignore' })
  onTestFinished(() => void parent.kill('SIGKILL'))
  await expect.poll(() => running(`sleep\0${mark}`).length, patience).toBe(2)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await expect.poll(() => running(`sleep\0${mark}`), patience).toEqual([])
})

test('killed walls take everything along', async () => {
  const at = ground()
  const mark = marked(161)
  const child = await launch(at, await wrap(at, ['/bin/sh', '-c', `setsid sleep ${mark} & sleep ${mark}`]))
  await expect.poll(() => running(`sleep\0${mark}`).length, patience).toBe(2)
  child.kill('SIGKILL')
  await expect.poll(() => running(`sleep\0${mark}`), patience).toEqual([])
})

test('the walls are bubblewrap itself, and stand around the whole program', async () => {
  const at = ground()
  const mark = marked(141)
  const child = await launch(at, await wrap(at, ['/bin/sleep', mark]))
  await expect.poll(() => running(`/bin/sleep\0${mark}`).length, patience).toBe(1)
  const [pid = ''] = running(`/bin/sleep\0${mark}`)
  const space = (of: string | number, kind: string): string =>
    execFileSync('readlink', [`/proc/${of}/ns/${kind}`], { encoding: 'utf8' })
  for (const kind of ['user', 'pid', 'mnt', 'net', 'ipc', 'uts', 'cgroup'])
    expect([kind, space(pid, kind) === space('self', kind)]).toEqual([kind, false])
  child.kill('SIGKILL')
})
