// Command lines that are long: as people and models write them, and as somebody writes them who wants them not to be read.

/** So that nothing of them is a here-document or a quote that most of a reader passes over at once. */
const scripts: Readonly<Record<string, string>> = {
  functions: `build() {
  local target="$1"; shift
  for file in src/*.ts test/*.ts; do
    if [ -f "$file" ] && grep -q TODO "$file"; then echo "$file: $(wc -l < "$file")" >> report.txt; fi
  done
  docker build -t "app:$target" . && docker push "app:$target" || { echo failed >&2; return 1; }
}`,
  'steps of a pipeline': `set -euo pipefail; export NODE_ENV=production; npm ci --no-audit && npm run build 2>&1 | tee build.log
case "$CI_BRANCH" in main|release/*) npm publish --dry-run;; *) echo skip;; esac`,
  'here-documents': 'cat <<A >> notes\nhello\nA',
  'one-liners': `git diff --name-only HEAD~1 | grep -E '\\.tsx?$' | xargs -r npx eslint --fix && git add -A`,
}

const document = 'A line with $vars, $(date), `ticks`, "quotes" and (parentheses); see #12.\n'

const times = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

const listed = (length: number, one: (at: number) => string, between = ';'): string => {
  const all: string[] = []
  for (let [at, size] = [0, 0]; size < length; at += 1) {
    all.push(one(at))
    size += one(at).length + between.length
  }
  return all.join(between)
}

/** Of about so many characters. */
export const ordinary = (length: number): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(scripts).map(([name, one]) => [name, listed(length, () => one, '\n')]),
  ),
  'a document': `cat > notes.md <<'END'\n${times(document, length)}\nEND\n`,
  'a document with gaps': `cat > notes.md <<END\n${times('Of $(date): $name did "it".\n', length)}\nEND\n`,
  'a message': `git commit -m "$(cat <<'END'\n${times(document, length)}\nEND\n)"`,
  'a program': `python3 - <<'END'\n${times('for x in range(10):\n    print(f"{x} {x}")\n', length)}\nEND\n`,
  'a request': `curl -s https://example.org -d '${times('{"a": [1, "b"]}, ', length)}'`,
  expressions: `sed ${listed(length, () => "-e 's/foo[0-9]*/bar/g'", ' ')} file`,
})

const pieces: readonly string[] = [
  ...[
    '{',
    '{ ',
    '(',
    '((',
    '$(',
    '"$(',
    '`',
    '"',
    "'",
    '$((',
    '$[',
    '<(',
    '[[ ',
    '@(',
    '${',
    '${a:-',
    '${a/',
  ],
  ...[
    '{a,',
    '{1..',
    '{a,b}',
    '{{a,b},c}',
    '{a..z}',
    '{,',
    '[a',
    '[[:',
    '*',
    '* ',
    '?',
    '~',
    '#',
    '!',
    '! ',
    '\\',
  ],
  ...['a|', 'a&&', 'a;', ';', '&', '|', '|&', '|| ', ';;', '<', '>', '>a ', '<<a ', 'cat <<E\n', 'bash <<< '],
  ...[
    'if ',
    'case x in ',
    'while ',
    'for i in a;do ',
    'f(){ ',
    'f(){ f;};',
    'function f ',
    'coproc ',
    'time ',
  ],
  ...[
    '$x ',
    'x=1;$x ',
    'x=$x$x;',
    'a=1 b ',
    'a=(',
    'a[$(b)]=',
    'let a[',
    'declare a=',
    'PS4=$(',
    "$'\\x",
    '$"',
  ],
  ...[
    'env ',
    'sudo ',
    'xargs ',
    'timeout 1 ',
    'nice -n 5 ',
    'eval ',
    'ssh h ',
    'parallel ',
    'docker exec c ',
  ],
  ...[
    "bash -c '",
    'env -S "',
    'find . -exec ',
    'find . -exec gh {} \\; ',
    'xargs -I{} sh -c "gh {}" | ',
    'a b ',
  ],
  ...[
    'gh $x ',
    'gh --opt v ',
    'unknown gh ',
    '--opt ',
    'alias a=b;',
    "trap 'gh' EXIT;",
    'echo a | ',
    '\\\n',
    '\0',
  ],
]

const nested = (length: number): string => {
  let code = 'gh issue close 1'
  for (let left = 12; left > 0 && code.length < length; left -= 1) code = `bash -c ${JSON.stringify(code)}`
  return code
}

/** Of about so many characters. */
export const hostile = (length: number): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(pieces.map((piece) => [JSON.stringify(piece), times(piece, length)])),
  'words that nobody knows': `gh ${times('$x ', length)}`,
  'options that nobody knows': `gh ${times('--opt v ', length)}`,
  'a wrapper that nobody knows': `unknown ${times('gh issue ', length)}`,
  'braces as a program': `${times('{gh,x}', length)} issue close 1`,
  'very many cases': `case $x in ${times('a|b) gh issue list;; ', length)} esac`,
  'values of values': `${listed(length, (at) => `a${at}=$a${at - 1}b`)}; $a9`,
  'very many values': `${listed(length, (at) => `a=${at}`)}; $a $a $a`,
  'values in branches': `${listed(length, (at) => `if x; then a=${at}; fi`)}; $a$a$a`,
  'a loop over very much': `for i in ${listed(length, String, ' ')}; do gh issue $i $i; done`,
  'very much in a loop': `for i in ${listed(2000, String, ' ')}; do ${times('gh issue $i;', length)} done`,
  functions: `${listed(length, (at) => `f${at}() { f${at - 1}; f${at - 1}; }`)}; f9`,
  'code in code': nested(length),
  'a document for a shell': `sh <<E\n${times('gh issue list\n', length)}\nE`,
  'everything at once': times('"$({[(`\'<<a ${', length),
})
