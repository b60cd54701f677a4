// Whatever is put around a gated command, and around that again, it stays gated.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchPattern } from '../match/rules.ts'

const single = (code: string) => `'${code.replaceAll("'", `'\\''`)}'`
const double = (code: string) => `"${code.replace(/[\\"$`]/g, '\\$&')}"`

/** Around a whole line. */
const lines: readonly ((code: string) => string)[] = [
  (code) => `true && { ${code}\n}`,
  (code) => `ls; ${code}`,
  (code) => `ls | (${code}\n)`,
  (code) => `(${code}\n)`,
  (code) => `! (${code}\n)`,
  (code) => `echo "$(${code}\n)"`,
  (code) => `x=$(${code}\n)`,
  (code) => `cat <(${code}\n)`,
  (code) => `if ${code}\nthen :; fi`,
  (code) => `if false; then :; else ${code}\nfi`,
  (code) => `while ${code}\ndo break; done`,
  (code) => `for i in 1 2; do ${code}\ndone`,
  (code) => `case x in x) ${code}\n;; esac`,
  (code) => `f() { ${code}\n}; f`,
  (code) => `bash -c ${single(code)}`,
  (code) => `sh -ec ${double(code)}`,
  (code) => `env -i bash -c ${single(code)}`,
  (code) => `sudo -u bob sh -c ${double(code)}`,
  (code) => `eval ${single(code)}`,
  (code) => `trap ${single(code)} EXIT`,
  (code) => `bash <<< ${single(code)}`,
  (code) => `bash <<'_E${code.length}_'\n${code}\n_E${code.length}_\n`,
  (code) => `su -c ${single(code)}`,
  (code) => `script -qc ${single(code)} /dev/null`,
  (code) => `flock /tmp/l -c ${single(code)}`,
  (code) => `ssh host ${single(code)}`,
  (code) => `docker exec -it box sh -c ${single(code)}`,
  (code) => `find . -exec sh -c ${single(code)} \\;`,
  (code) => `xargs -n1 sh -c ${single(code)} _`,
  (code) => `parallel ::: ${single(code)}`,
  (code) => `watch -n 5 ${single(code)}`,
  (code) => `git -c alias.x=${single(`!${code}`)} x`,
  (code) => `busybox sh -c ${single(code)}`,
  (code) => `echo ${single(code)} | bash`,
  (code) => `coproc { ${code}\n}`,
  (code) => `cat <<E${code.length}\n$(${code}\n)\nE${code.length}\n`,
  (code) => `PS4=${single(`$(${code}\n)`)} bash -xc :`,
  (code) => `[[ -n $(${code}\n) ]]`,
  (code) => `echo $(( $(${code}\n) ))`,
]

/** Around the words of one command. */
const words: readonly ((code: string) => string)[] = [
  (code) => `A=1 B='x y' ${code}`,
  (code) => `env A=1 ${code}`,
  (code) => `env -u X -C /tmp ${code}`,
  (code) => `sudo -E -u bob ${code}`,
  (code) => `doas ${code}`,
  (code) => `nice -n 5 ${code}`,
  (code) => `ionice -c2 ${code}`,
  (code) => `nohup ${code}`,
  (code) => `setsid ${code}`,
  (code) => `timeout -k 1 5 ${code}`,
  (code) => `stdbuf -oL ${code}`,
  (code) => `command ${code}`,
  (code) => `exec ${code}`,
  (code) => `time ${code}`,
  (code) => `chroot / ${code}`,
  (code) => `strace -f -o log ${code}`,
  (code) => `gdb --args ${code}`,
  (code) => `xargs -n1 ${code}`,
  (code) => `find . -exec ${code} \\;`,
  (code) => `npx -y ${code}`,
  (code) => `docker exec -it box ${code}`,
  (code) => `flock /tmp/l ${code}`,
  (code) => `busybox ${code}`,
  (code) => `unknown-wrapper --flag ${code}`,
  (code) => `>log ${code} 2>&1`,
]

const gated = [
  'gh issue close 1',
  'gh -R o/r issue close 1',
  '/usr/bin/gh issue close 1',
  'g\'h\' is"su"e cl\\ose 1',
  'gh issue $x 1',
  '{gh,issue,close,1}',
  '$(echo gh) issue close 1',
]

const command = fc
  .tuple(fc.constantFrom(...gated), fc.array(fc.constantFrom(...words), { maxLength: 2 }))
  .map(([base, around]) => {
    const keep = around.filter(
      (wrap, index) => !/^time|^A=|^>|\{gh/.test(wrap('')) || index === around.length - 1,
    )
    return keep.reduce((code, wrap) => wrap(code), base)
  })

test('a gated command stays gated in every wrapper, up to four deep', () => {
  const chance = fc.tuple(command, fc.array(fc.constantFrom(...lines), { maxLength: 3 }))
  fc.assert(
    fc.property(chance, ([base, around]) => {
      const line = around.reduce((code, wrap) => wrap(code), base)
      const { match } = matchPattern('Bash:gh issue close*', { tool: 'Bash', input: { command: line } })
      expect(match, line).not.toBe('no')
    }),
    { numRuns: 3000, seed: 7 },
  )
})

test('and alone in every one of them', () => {
  for (const base of gated) {
    for (const wrap of [...lines, ...words]) {
      const { match } = matchPattern('Bash:gh issue close*', { tool: 'Bash', input: { command: wrap(base) } })
      expect(match, wrap(base)).not.toBe('no')
    }
  }
})

test('a harmless command stays harmless in them', () => {
  for (const wrap of [...lines, ...words]) {
    const line = wrap('echo gh issue close')
    const { match } = matchPattern('Bash:gh issue close*', { tool: 'Bash', input: { command: line } })
    if (!/unknown|\$\(\(/.test(line)) expect(match, line).toBe('no')
  }
})
