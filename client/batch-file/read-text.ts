import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../store';

/** The file cannot be read as text, or has a line that is too long. The message becomes an issue's message. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/** A file's text in pieces, without its byte order mark. @throws UnreadableText */
export async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  await checkFile(path);
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes as Buffer, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new UnreadableText('the file is no UTF-8 text; save it in that encoding');
    }
    throw new UnreadableText(`the file cannot be read (${errorCode(error) ?? String(error)})`);
  }
}

async function checkFile(path: string): Promise<void> {
  try {
    const entry = await stat(path);
    if (entry.isFile()) return;
  } catch (error) {
    const code = errorCode(error);
    throw new UnreadableText(
      code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code ?? String(error)})`,
    );
  }
  throw new UnreadableText('this is no file; name a CSV, JSONL, YAML or JSON file');
}

/** Maximum length of a line in characters; for a CSV row, in bytes. A prompt with its parameters has a few thousand. */
export const LONGEST_LINE = 4_000_000;

/** Lines of a text that arrives in pieces, without their LF or CRLF. @throws UnreadableText if a line is too long. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new UnreadableText(`a line has more than ${LONGEST_LINE} characters`);
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
