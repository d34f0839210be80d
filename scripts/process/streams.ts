import type { Writable } from 'node:stream';
import { withLocalTimes } from '../../client/wording/local-times';
import { escapeControls, escapeControlsInJson } from '../../contracts/terminal-text';
import { surroundings, type Surroundings } from './surroundings';

/**
 * A command's results and messages go through this module. Help, questions, a worker's log, and the display that is
 * redrawn in place (`live-progress`) do not. Titles, file names and gateway answers are untrusted: on a terminal, their
 * control characters could clear the screen, forge a line or reorder text.
 */

/** One line, or several. A line break within a line comes from untrusted text and is printed as an escape. */
export type Lines = string | readonly string[];

/** Prints a command's result on stdout, for a person or a program. Only results go to stdout. */
export function print(lines: Lines): void {
  surroundings().stdout.write(written(withLocal(lines)));
}

/** Prints a value as JSON, for a program: with the escapes of JSON, and with times in UTC. */
export function printJson(value: unknown): void {
  surroundings().stdout.write(`${escapeControlsInJson(JSON.stringify(value, null, 2))}\n`);
}

/** Prints a text result. On a terminal, control characters other than line breaks are escaped. */
export function printText(text: string): void {
  const { stdout } = surroundings();
  stdout.write(stdout.isTTY === true ? written(text.split(/\r?\n/)) : `${text}\n`);
}

/** Prints messages, errors and lines of progress on stderr. */
export function tell(lines: Lines): void {
  surroundings().stderr.write(written(withLocal(lines)));
}

/** Prints an error's message. Lines after the first are indented, so that they do not look like further messages. */
export function tellMessage(message: string): void {
  const [first = '', ...others] = message.split('\n');
  tell([first, ...others.map((line) => (line.startsWith(' ') ? line : `  ${line}`))]);
}

/** Ignores a closed pipe (a reader such as `head` has ended) and a closed terminal: the command still completes. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}

/**
 * Waits until everything that was written to stdout and stderr has been passed on, since `process.exit` drops what is
 * queued. Also resolves if a reader has closed its pipe.
 */
export async function allWritten({ stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): Promise<void> {
  const written = (stream: Writable): Promise<void> =>
    new Promise((resolve) => {
      // Errors also end the wait.
      stream.write('', () => {
        resolve();
      });
    });
  await Promise.all([written(stdout), written(stderr)]);
}

function withLocal(lines: Lines): Lines {
  return typeof lines === 'string' ? withLocalTimes(lines) : lines.map((line) => withLocalTimes(line));
}

function written(lines: Lines): string {
  return (typeof lines === 'string' ? [lines] : lines).map((line) => `${escapeControls(line)}\n`).join('');
}
