import { surroundings } from './surroundings';

/** The result of a command, for a person or a program: stdout holds nothing else. */
export function print(text: string): void {
  surroundings().stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** What a person should know meanwhile: progress, notices, errors. */
export function tell(text: string): void {
  surroundings().stderr.write(`${text}\n`);
}

/** A reader that has seen enough, as `head`, is no error; what was asked for is done all the same. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
