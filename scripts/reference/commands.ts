import { Writable } from 'node:stream';
import type { Argument, Command, Option } from 'commander';
import { EXIT_MEANINGS } from '../process/exit-codes';
import { commandLine } from '../run-dailies';

/** Options of every verb. The hand-written part of docs/commands.md describes them, so the sections omit them. */
const COMMON_OPTIONS = ['--verbose'];

/** The generated part of docs/commands.md: exit codes, then the verbs under the headings of `--help`. Markdown. */
export function commandsReference(): string {
  const stream = new Writable();
  const verbs = commandLine({ stdout: stream, stderr: stream }).commands;
  const groups = [...new Set(verbs.map((verb) => verb.helpGroup()))];
  const sections = groups.flatMap((group) => [
    `## ${group.replace(/:$/, '')}`,
    ...verbs.filter((verb) => verb.helpGroup() === group).flatMap((verb) => verbSections(verb)),
  ]);
  const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return `${['## Exit codes', codes.join('\n'), ...sections].join('\n\n')}\n`;
}

/** The sections of a verb and its subcommands. A verb that only groups subcommands has no section of its own. */
function verbSections(verb: Command, parent = ''): readonly string[] {
  const name = `${parent}${verb.name()}`;
  const subcommands = verb.commands.flatMap((subcommand) => verbSections(subcommand, `${name} `));
  if (verb.registeredArguments.length === 0 && verb.commands.length > 0) return subcommands;
  const heading = `### ${[name, ...verb.registeredArguments.map((argument) => placeOf(argument))].join(' ')}`;
  const items = [
    ...verb.registeredArguments.map((argument) => item(placeOf(argument), argument.description)),
    ...verb.options.filter((option) => isListed(option)).map((option) => item(option.flags, optionText(option))),
  ];
  return [heading, sentence(verb.description()), ...(items.length > 0 ? [items.join('\n')] : []), ...subcommands];
}

function placeOf(argument: Argument): string {
  const name = argument.name().toUpperCase().replaceAll('-', '_');
  return argument.required ? name : `[${name}]`;
}

function isListed({ hidden, long }: Option): boolean {
  return !hidden && !COMMON_OPTIONS.includes(long ?? '');
}

function optionText({ description, argChoices, mandatory, defaultValue, negate }: Option): string {
  return [
    description,
    ...(argChoices ? [`one of ${argChoices.join(', ')}`] : []),
    ...(mandatory ? ['required'] : []),
    ...(defaultValue === undefined || negate ? [] : [`default: ${String(defaultValue)}`]),
  ].join('; ');
}

function item(name: string, text: string): string {
  return `- \`${name}\`: ${withCode(text)}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${withCode(text.slice(1))}.`;
}

/** Marks flags, quoted texts and words with angle brackets as code. Markdown would read angle brackets as HTML. */
function withCode(text: string): string {
  return text.replace(/"[^"]+"|\S*<[^>]+>\S*|--[a-z-]+/g, (words) => `\`${words.replaceAll('"', '')}\``);
}
