import { Writable } from 'node:stream';
import { type Command } from 'commander';
import { commandLine } from '../../scripts/run-dailies';

/** Values for words in capitals that a person replaces. Only the form of a command is checked. */
const SAMPLES: Readonly<Record<string, string>> = {
  M: '5',
  N: '5',
  TAKE: '1',
  FILE: 'film.yaml',
  BACKUP: 'backup.jsonl',
  INSTANT: '2026-11-22T02:00:00Z',
};

/** A word in capitals that a person replaces. */
const PLACEHOLDER = /^[A-Z][A-Z_]*$/;

/** A command that a text tells a person to type, as words. Placeholders are kept. */
export type PrintedCommand = readonly string[];

/**
 * The commands that a text tells a person to type, with alternatives as separate commands.
 *
 * A command is in backticks, or extends to the end of its line, to two spaces, or to the punctuation that ends its
 * clause.
 */
export function printedCommands(text: string): readonly PrintedCommand[] {
  return [...text.matchAll(/(?<before>^|(?<!\||Usage:)[\s`("])dailies (?=(?<rest>[a-z][^\n]*))/gm)].flatMap(
    ({ groups }) => {
      const { before = '', rest = '' } = groups ?? {};
      const whole = before === '`' ? rest.split('`')[0]! : clauseOf(rest);
      // Requires a verb, since prose may begin with the program's name.
      return isVerb(wordsOf(whole)[0]) && !whole.endsWith('--help') ? alternativesOf(whole) : [];
    },
  );
}

/** Each printed command that the command line rejects, with the reason. */
export function unreadable(commands: readonly PrintedCommand[]): readonly string[] {
  return commands.flatMap((words) => {
    const complaint = complaintAbout(words.map((word) => (PLACEHOLDER.test(word) ? (SAMPLES[word] ?? 'word') : word)));
    return complaint === undefined ? [] : [`dailies ${words.join(' ')}: ${complaint}`];
  });
}

/** Extends to two spaces, to the quote that ends a text in JSON, or to the punctuation that ends the clause. */
function clauseOf(rest: string): string {
  return (/^(?:"[^"]*"|'[^']*'|(?! {2}|[;,.)]+(?: |$)|: | #| ─)[^"])*/.exec(rest)?.[0] ?? '').trim();
}

/** `a --x | --y` stands for `a --x` and `a --y`; `[--z]` is optional; `1|2` is one of them. */
function alternativesOf(command: string): readonly PrintedCommand[] {
  const [first = '', ...others] = command.split(' | ');
  // The last flag is what the alternatives differ by.
  const stem = first.replace(/ --(?!.* --).*$/, '');
  const whole = [
    first,
    ...others
      .map((other) => other.replace(/^dailies /, ''))
      .map((other) => (other.startsWith('--') ? `${stem} ${other}` : other)),
  ];
  return whole
    .flatMap((one) => (one.includes('[') ? [one.replace(/ ?\[[^\]]*\]/g, ''), one.replace(/[[\]]/g, '')] : [one]))
    .map((one) => wordsOf(one).map((word) => (/^\w+(\|\w+)+$/.test(word) ? word.split('|')[0]! : word)));
}

export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/** Read once: a command line takes a while to make. */
let verbs: ReadonlySet<string> | undefined;

function isVerb(word: string | undefined): boolean {
  verbs ??= new Set(parser(() => undefined).commands.map((command) => command.name()));
  return word !== undefined && verbs.has(word);
}

function complaintAbout(words: readonly string[]): string | undefined {
  const told: string[] = [];
  try {
    parser((text) => told.push(text)).parse(words, { from: 'user' });
    return undefined;
  } catch {
    return told.join('').trim().split('\n')[0] ?? 'it is not taken';
  }
}

/** The command line, which parses its words but runs nothing. */
function parser(tell: (text: string) => void): Command {
  const stream = new Writable({ decodeStrings: false });
  const program = commandLine({ stdout: stream, stderr: stream }).configureOutput({
    writeOut: () => undefined,
    writeErr: () => undefined,
    outputError: tell,
  });
  silence(program);
  return program;
}

function silence(command: Command): void {
  for (const one of command.commands) {
    one.copyInheritedSettings(command).action(() => undefined);
    silence(one);
  }
}
