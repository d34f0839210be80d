import { type RawRow } from './raw-row';
import { linesOf, readText, UnreadableText } from './read-text';
import { type RowIssue } from './row-issue';

/** Reads the rows of a JSONL file, one JSON object per line. Skips blank lines, and yields errors as issues. */
export async function* readJsonl(file: string, path: string): AsyncGenerator<RawRow | RowIssue> {
  let [line, row] = [0, 0];
  try {
    for await (const text of linesOf(readText(path))) {
      line += 1;
      if (text.trim() === '') continue;
      row += 1;
      const place = { file, line, row };
      const value = parsed(text);
      if (typeof value === 'string') yield { ...place, column: null, message: value };
      else yield { ...place, values: value, isTable: false };
    }
    if (row === 0) yield { file, line: 1, row: null, column: null, message: 'the file has no rows' };
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    yield { file, line: line + 1, row: null, column: null, message: error.message };
  }
}

/** The object, or an error message. */
function parsed(text: string): Readonly<Record<string, unknown>> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `the line is not JSON (${error instanceof Error ? error.message : String(error)}); write one object a line`;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return 'the line is not a JSON object; write one, for example {"key": "a", "model": "beta-video", "prompt": "…"}';
}
