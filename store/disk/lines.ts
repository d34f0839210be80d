import { createReadStream } from 'node:fs';

/**
 * The lines of a text file. Only a line feed ends a line; a carriage return before it is left out.
 *
 * Node's `readline` also ends a line at a lone carriage return, and since version 24 at U+2028 and U+2029, which JSON
 * does not escape.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    rest += chunk;
    if (!chunk.includes('\n')) continue;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
