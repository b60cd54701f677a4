// The reference page of the commands, from the same data that parses them.
import type { Spec } from '../src/cli/command/schema.ts'

export const commandsPage = (notice: string, commands: readonly Spec[]): string => {
  const groups = [...new Set(commands.map(({ group }) => group))]
  return [
    notice,
    '# Commands',
    '',
    'Every command takes `--json` (one object on stdout) and `--help`. Exit codes: 0 fine, 1 failed, 2 bad input.',
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      ...commands
        .filter((command) => command.group === group)
        .flatMap(({ words, summary, args, options, examples }) => [
          '',
          `### \`agency ${words.join(' ')}\``,
          summary,
          ...(args.length + options.length > 0 ? ['', '| | |', '|---|---|'] : []),
          ...args.map(
            (arg) => `| \`${arg.name.toUpperCase()}\`${arg.optional ? ' (optional)' : ''} | ${arg.summary} |`,
          ),
          ...options.map((option) => `| \`--${option.name}\` | ${option.summary} |`),
          ...(examples.length > 0 ? ['', '```', ...examples, '```'] : []),
        ]),
    ]),
    '',
  ].join('\n')
}
