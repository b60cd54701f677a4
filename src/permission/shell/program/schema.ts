// What is known about programs: which of their words are commands, code, or only data.

/** A program that runs the command in its words. */
export type Wrapper = {
  /** letters of options that take a value */
  readonly short?: string
  /** long options that take a value, separated by blanks */
  readonly long?: string
  /** words before the command that are not it */
  readonly operands?: number
  /** `NAME=value` may stand before the command */
  readonly assigns?: true
  /** options whose value is code for a shell, separated by blanks */
  readonly code?: string
  /** the words are joined and given to a shell */
  readonly joined?: true
  /** options with which it only tells about a command */
  readonly tells?: RegExp
}

export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: { short: 'uCa', long: 'unset chdir argv0 block-signal default-signal', assigns: true },
  sudo: {
    short: 'ugpCchDRTrtU',
    long: 'user group prompt close-from host chdir chroot command-timeout role type other-user',
    assigns: true,
    tells: /^(?:-[lvVK]|--list|--validate|--version)$/,
  },
  doas: { short: 'uC' },
  pkexec: { long: 'user' },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setpriv: { long: 'reuid regid groups ruid euid rgid egid inh-caps ambient-caps bounding-set securebits' },
  runuser: {
    short: 'ugGswcT',
    long: 'user group supp-group shell whitelist-environment',
    code: '-c --command',
  },
  su: { short: 'gGswcT', long: 'group supp-group shell whitelist-environment', code: '-c --command' },
  sg: { operands: 1, joined: true },
  nice: { short: 'n', long: 'adjustment' },
  ionice: { short: 'cnpPu', long: 'class classdata' },
  chrt: { short: 'TPD', operands: 1 },
  taskset: { operands: 1 },
  numactl: { short: 'NCmipl', long: 'cpunodebind physcpubind membind interleave preferred' },
  nohup: {},
  'ssh-agent': { short: 'aEtP' },
  setsid: {},
  timeout: { short: 'ks', long: 'kill-after signal', operands: 1 },
  gtimeout: { short: 'ks', long: 'kill-after signal', operands: 1 },
  time: { short: 'fo', long: 'format output' },
  stdbuf: { short: 'ioe', long: 'input output error' },
  unbuffer: {},
  chronic: {},
  ifne: {},
  caffeinate: { short: 'tw' },
  cpulimit: { short: 'lep' },
  prlimit: { short: 'p', long: 'pid' },
  softlimit: { short: 'acdflmoprst' },
  chpst: { short: 'uUbeonlLdmtfprc' },
  setarch: {},
  linux32: {},
  linux64: {},
  arch: { short: 'e' },
  chroot: { long: 'userspec groups', operands: 1 },
  unshare: { short: 'SGRw', long: 'setuid setgid root wd propagation map-user map-group' },
  nsenter: { short: 'tSG', long: 'target setuid setgid wd' },
  proot: { short: 'rbwqik' },
  fakeroot: { short: 'lsib' },
  fakechroot: {},
  faketime: { short: 'fp', operands: 1 },
  strace: { short: 'eopsuEaIOPSbX', long: 'trace output attach string-limit user env' },
  ltrace: { short: 'eopsuanAFlwxX', long: 'output' },
  valgrind: {},
  perf: { short: 'eopCtFgcr', operands: 1 },
  heaptrack: {},
  gdb: { short: 'xpc', long: 'command pid', code: '-ex --eval-command -iex' },
  rlwrap: { short: 'abcCDefFgHlLmMOpPqsStz' },
  torsocks: { short: 'uPp' },
  torify: {},
  proxychains: { short: 'f' },
  proxychains4: { short: 'f' },
  tsocks: {},
  flock: { short: 'wEc', long: 'timeout wait conflict-exit-code', operands: 1, code: '-c --command' },
  lockf: { short: 't', operands: 1 },
  setlock: { operands: 1 },
  watch: { short: 'nq', long: 'interval equexit', joined: true },
  script: {
    short: 'cEIOBTmo',
    long: 'echo log-in log-out log-io log-timing logging-format',
    code: '-c --command',
  },
  exec: { short: 'a' },
  command: { tells: /^-[pvV]*[vV]/ },
  builtin: {},
  noglob: {},
  nocorrect: {},
  '-': {},
  repeat: { operands: 1 },
  zargs: { short: 'aePInLs' },
  entr: {},
  reflex: { short: 'rgRGds' },
  watchexec: { short: 'wefisdp', long: 'exts filter ignore watch signal debounce' },
  nodemon: { short: 'weixdC', long: 'watch ext ignore delay', code: '--exec -x' },
  'xvfb-run': { short: 'nefswp', long: 'server-num server-args error-file auth-file' },
  'dbus-run-session': { long: 'config-file dbus-daemon' },
  'dbus-launch': {},
  'systemd-run': {
    short: 'pEuHM',
    long: 'unit property uid gid setenv working-directory slice on-calendar on-active',
  },
  'systemd-inhibit': { long: 'what who why mode' },
  'systemd-cat': { short: 'tp' },
  'start-stop-daemon': { short: 'xapunsgcdrkP', long: 'pidfile user exec name chuid chdir' },
  daemonize: { short: 'acepluEo' },
  npx: { short: 'pw', long: 'package workspace', code: '-c --call' },
  bunx: { short: 'p' },
  uvx: { short: 'pw', long: 'from with python' },
  dotenv: { short: 'efvc' },
  dotenvx: { operands: 1, short: 'f' },
  'cross-env': { assigns: true },
  'aws-vault': { operands: 2, short: 'd', long: 'duration' },
  bwrap: {
    long: 'bind ro-bind dev-bind symlink setenv unsetenv chdir dev proc tmpfs dir file uid gid hostname args seccomp',
  },
  firejail: {},
  xterm: { short: 'TngfbFB', code: '-e' },
  konsole: { code: '-e' },
  'gnome-terminal': { long: 'title working-directory', code: '-e --command' },
  screen: { short: 'ScehpstT' },
  eatmydata: {},
  winpty: {},
  catchsegv: {},
}

/** `npm exec`, `poetry run` and their like: the words that must come first, and the options with a value. */
export const launchers: Readonly<
  Record<string, { readonly words: string; readonly short?: string; readonly long?: string }>
> = {
  npm: { words: 'exec x', short: 'pwC', long: 'package workspace prefix' },
  pnpm: { words: 'exec dlx', short: 'CrF', long: 'package filter dir' },
  yarn: { words: 'exec dlx', short: 'p', long: 'package cwd' },
  bun: { words: 'x' },
  pipx: { words: 'run', long: 'spec python' },
  uv: { words: 'run', short: 'pw', long: 'with python project directory env-file package extra group' },
  poetry: { words: 'run', short: 'CP', long: 'directory project' },
  pipenv: { words: 'run' },
  pdm: { words: 'run', short: 'p' },
  hatch: { words: 'run', short: 'e' },
  rye: { words: 'run' },
  conda: { words: 'run', short: 'np', long: 'name prefix cwd' },
  mamba: { words: 'run', short: 'np', long: 'name prefix cwd' },
  bundle: { words: 'exec' },
  rbenv: { words: 'exec' },
  pyenv: { words: 'exec' },
  asdf: { words: 'exec' },
  mise: { words: 'exec x', short: 'C' },
  direnv: { words: 'exec' },
  op: { words: 'run', long: 'env-file account' },
  doppler: { words: 'run', short: 'pc', long: 'project config' },
  infisical: { words: 'run', long: 'env path' },
  nix: { words: 'develop shell run', short: 'c', long: 'command' },
  lxc: { words: 'exec' },
  incus: { words: 'exec' },
  machinectl: { words: 'shell' },
  distrobox: { words: 'enter', short: 'n', long: 'name' },
  toolbox: { words: 'run', short: 'cr', long: 'container' },
  flatpak: { words: 'run', long: 'command' },
  snap: { words: 'run' },
  dotnet: { words: 'exec' },
}

export const containers = new Set([
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'oc',
  'docker-compose',
  'crictl',
])

export const containerValues =
  'name env volume publish workdir user network net entrypoint mount label hostname platform cpus memory add-host dns device env-file expose ip link log-driver log-opt pid ipc restart runtime security-opt shm-size stop-signal sysctl tmpfs ulimit userns volumes-from gpus cap-add cap-drop detach-keys cidfile pull namespace container context host file project-name project-directory profile kubeconfig cluster image index'

export const shells = new Set(
  'sh bash zsh dash ksh ksh93 mksh ash fish rbash lksh yash csh tcsh posh osh elvish nu xonsh'.split(' '),
)

/** Interpreters of other languages, and the options that carry code. */
export const interpreters: Readonly<Record<string, string>> = {
  python: '-c',
  pypy: '-c',
  ipython: '-c',
  perl: '-e -E',
  ruby: '-e',
  irb: '-e',
  node: '-e -p -pe --eval --print',
  nodejs: '-e -p --eval --print',
  deno: 'eval',
  bun: '-e --eval',
  tsx: '-e --eval',
  'ts-node': '-e --eval',
  php: '-r -B -R -E',
  lua: '-e',
  luajit: '-e',
  tclsh: '',
  expect: '-c',
  osascript: '-e',
  pwsh: '-c -Command -EncodedCommand -e -enc',
  powershell: '-c -Command -EncodedCommand -e -enc',
  Rscript: '-e',
  R: '-e',
  julia: '-e -E',
  elixir: '-e',
  erl: '-eval',
  ghc: '-e',
  groovy: '-e',
  scala: '-e',
  jshell: '-',
  swift: '-e',
  guile: '-c',
  emacs: '--eval -eval --batch',
  vim: '-c --cmd -S',
  vi: '-c',
  nvim: '-c --cmd',
  ex: '-c',
  ed: '',
  psql: '-c --command',
  mysql: '-e --execute',
  sqlite3: '-cmd',
  gawk: '',
  mawk: '',
  awk: '',
  nawk: '',
  m4: '-D',
  bc: '',
  make: '--eval -E',
  gmake: '--eval -E',
  crontab: '',
  socat: '',
  sftp: '',
  ftp: '',
  lftp: '-c -e',
  xdotool: '',
  ansible: '-a --args',
}

/** Options of other programs whose value is code for a shell. */
export const hooks: Readonly<Record<string, string>> = {
  tar: '--checkpoint-action --to-command --use-compress-program -I --rsh-command --info-script --new-volume-script -F',
  gtar: '--checkpoint-action --to-command --use-compress-program -I --rsh-command',
  bsdtar: '--use-compress-program',
  rsync: '-e --rsh --rsync-path',
  scp: '-S -o',
  sftp: '-S -o',
  zip: '-TT --unzip-command',
  sort: '--compress-program',
  split: '--filter',
  gsplit: '--filter',
  man: '-P --pager -H --html',
  rg: '--pre --hostname-bin',
  fzf: '--preview --bind',
  sk: '--preview --bind -c --cmd',
  'nix-shell': '--run --command',
  nc: '-e -c --exec --sh-exec',
  ncat: '-e -c --exec --sh-exec',
  netcat: '-e -c',
  vagrant: '-c --command',
  gcloud: '--command',
  capsh: '-c',
  newgrp: '-c',
  cargo: '-s --shell -x',
  dpkg: '--pre-invoke --post-invoke',
  apt: '-o',
  'apt-get': '-o',
  wget: '--use-askpass',
  mutt: '-e',
  kitty: '-e',
  alacritty: '-e',
  foot: '-e',
}

/** Every word that is no option is code for a shell. */
export const codeWords = new Set(
  'concurrently hyperfine npm-run-all run-p run-s tmux byobu batch pee mispipe'.split(' '),
)

/** Words of these are only data: a command named in them does not run. */
export const quiet = new Set(
  (
    ': true false echo printf print cat tac bat less more head tail wc nl tee sort uniq cut tr paste join comm column fold fmt expand ' +
    'unexpand rev shuf seq yes nproc grep egrep fgrep zgrep rg ag ack ls ll la dir vdir tree exa eza lsd stat file du df pwd basename ' +
    'dirname realpath readlink which whereis whatis apropos man info tldr help type date cal sleep test [ expr let jq yq xmllint ' +
    'diff cmp patch colordiff md5sum sha1sum sha256sum sha512sum cksum b2sum base64 base32 xxd od hexdump strings iconv dos2unix ' +
    'cp mv rm ln mkdir rmdir touch chmod chown chgrp install mktemp truncate shred unlink dd sync cd pushd popd dirs ' +
    'export declare typeset local readonly unset set shift return exit break continue wait jobs fg bg disown kill pkill pgrep killall ' +
    'ps top htop free uptime uname whoami id groups who w last hostname lscpu lsblk lsof netstat ss ip ifconfig ping dig nslookup host ' +
    'curl wget http https git gh glab hub npm pnpm yarn bun node deno tsc eslint prettier biome vitest jest mocha playwright ' +
    'python pip pip3 uv poetry pytest ruff black mypy flake8 tox cargo rustc rustup rustfmt go gofmt java javac mvn gradle gcc g++ clang ' +
    'cc ld ar make gmake cmake ninja meson docker docker-compose podman kubectl helm terraform aws gcloud az brew apt apt-get dnf yum ' +
    'pacman apk journalctl defaults tar gzip gunzip zip unzip bzip2 xz zstd sed awk gawk mawk find fd ' +
    'locate read mapfile readarray getopts shopt ulimit umask times history fc bind complete compgen compopt logger notify-send say ' +
    'mail mailx sendmail cowsay figlet toilet lolcat clear reset tput stty tty script code subl open xdg-open ssh scp rsync sftp ' +
    'sqlite3 psql mysql redis-cli mongosh openssl gpg ssh-keygen ssh-add pbcopy pbpaste xclip xsel wl-copy envsubst ' +
    'bd tmux screen vim vi nvim nano emacs ed ruby perl php lua gem bundle rake dotnet swift ' +
    'write wall mesg column numfmt factor pr csplit split tsort ptx link sum hash alias unalias command trap hostnamectl'
  ).split(' '),
)

/** Variables whose value is code that something runs later. */
export const codeNames =
  /^(?:PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_SSH|GIT_(?:SEQUENCE_)?EDITOR|EDITOR|VISUAL|FCEDIT|(?:GIT_|GH_|MAN|AWS_|SYSTEMD_|BAT_)?PAGER|GH_EDITOR|GH_BROWSER|BROWSER|GIT_EXTERNAL_DIFF|(?:GIT|SSH|SUDO)_ASKPASS|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|RSYNC_RSH|CVS_RSH|SVN_SSH|RIPGREP_PRE|FZF_DEFAULT_COMMAND|SHELL)$/

/** Variables whose value is read by something that may run what it names. */
export const foreignNames =
  /^(?:TAR_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP|PYTHONINSPECT|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|FZF_DEFAULT_OPTS|LESS|GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)|BASH_FUNC_.*|JAVA_TOOL_OPTIONS|VIMINIT|EXINIT)$/

export const promptNames = /^PS[0-4]$/

/** Variables that change which code runs, without showing it. */
export const hidingNames =
  /^(?:BASH_ENV|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ALIASES|BASH_CMDS|aliases|galiases|saliases|functions|commands)$/

/** Settings of git that hold a command. */
export const gitSettings =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.helper|credential\..*\.helper|gpg\.program|gpg\..*\.program|.*\.cmd|sendemail\..*cmd|interactive\.difffilter|uploadpack\.packobjectshook|core\.hookspath)$/i
