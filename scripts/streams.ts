import { withLocalTimes } from '../client/local-times';
import { escapeControls } from '../contracts/terminal-text';
import { surroundings } from './surroundings';

/**
 * All that a command writes for a person goes through here. Titles, names of files and what a gateway says are foreign:
 * on a terminal their control characters would clear the screen, forge a line, or show a text in another order.
 */

/** A line, or several. A line break within one is part of a foreign text, and shown as the escape that it is. */
export type Lines = string | readonly string[];

/** The result of a command, for a person or a program: stdout holds nothing else. */
export function print(lines: Lines): void {
  surroundings().stdout.write(written(withLocal(lines)));
}

/** A program reads it, so it is written as it is. */
export function printJson(value: unknown): void {
  surroundings().stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a text that was asked for, as it is; on a terminal only its line breaks stay what they are. */
export function printText(text: string): void {
  const { stdout } = surroundings();
  stdout.write(stdout.isTTY === true ? written(text.split(/\r?\n/)) : `${text}\n`);
}

/** What a person should know meanwhile: progress, notices, errors. */
export function tell(lines: Lines): void {
  surroundings().stderr.write(written(withLocal(lines)));
}

/** Tells the message of an error. Its first line is not to be told from others', so all that follow are indented. */
export function tellMessage(message: string): void {
  const [first = '', ...others] = message.split('\n');
  tell([first, ...others.map((line) => (line.startsWith(' ') ? line : `  ${line}`))]);
}

/** A reader that has seen enough, as `head`, is no error; what was asked for is done all the same. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

function withLocal(lines: Lines): Lines {
  return typeof lines === 'string' ? withLocalTimes(lines) : lines.map((line) => withLocalTimes(line));
}

function written(lines: Lines): string {
  return (typeof lines === 'string' ? [lines] : lines).map((line) => `${escapeControls(line)}\n`).join('');
}
