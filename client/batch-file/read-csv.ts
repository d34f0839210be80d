import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type RawRow } from './raw-row';
import { LONGEST_LINE, readText, UnreadableText } from './read-text';
import { type RowIssue } from './row-issue';

/** Candidates for the table's delimiter; the first line decides. */
const DELIMITERS = [',', ';', '\t'];

/** Some programs end lines with CR alone. */
const LINE_END = /[\r\n]/;

/** A record, and the line in which it ends, as csv-parse returns them. */
interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** The rows of a CSV file whose first line names the columns. Accepts quotes, line ends in quotes, BOM and CRLF. */
export async function* readCsv(file: string, path: string): AsyncGenerator<RawRow | RowIssue> {
  let columns: readonly string[] | undefined;
  let [row, lastLine] = [0, 0];
  let source: Readable | undefined;
  try {
    const { delimiter, text } = await withDelimiter(readText(path));
    const parser = parse({
      delimiter,
      info: true,
      relax_column_count: true,
      // Accept all three line ends in one file. By default the parser uses the first line end that it finds, and joins
      // lines with other ends.
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: LONGEST_LINE,
    });
    source = Readable.from(text);
    // `pipe` does not forward errors, and an unhandled stream error ends the process.
    source.on('error', (error) => parser.destroy(error)).pipe(parser);
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = lastLine + 1;
      lastLine = info.lines;
      if (columns === undefined) {
        columns = record.map((name) => name.trim());
        yield* columnIssues(columns, { file, line });
        continue;
      }
      // Spreadsheets leave empty rows when their cells are cleared.
      if (record.every((cell) => cell.trim() === '')) continue;
      row += 1;
      if (record.length > columns.length) {
        const message = `the row has ${record.length} cells, and the first line names ${columns.length} columns; put cells that hold a "${delimiter}" in quotes`;
        yield { file, line, row, column: null, message };
        continue;
      }
      const cells = columns.map((name, index) => [name, record[index] ?? ''] as const);
      const values = Object.fromEntries(cells.filter(([, cell]) => cell.trim() !== ''));
      yield { file, line, row, values, isTable: true, columns };
    }
    if (row === 0) yield { file, line: 1, row: null, column: null, message: 'the table has no rows' };
  } catch (error) {
    yield { file, column: null, ...inWords(error, { line: lastLine + 1, row: row + 1 }) };
  } finally {
    // The parser stops at an error and would leave its source open.
    source?.destroy();
  }
}

/** The parser's error in words for a person, at the parser's position. @throws errors that the file did not cause. */
function inWords(
  error: unknown,
  next: { readonly line: number; readonly row: number },
): Pick<RowIssue, 'line' | 'row' | 'message'> {
  if (error instanceof UnreadableText) return { line: 1, row: null, message: error.message };
  if (!(error instanceof CsvError)) throw error;
  const { lines, records } = error as { readonly lines?: number; readonly records?: number };
  const place = { line: lines ?? next.line, row: records ?? next.row };
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return { ...place, message: 'a cell begins with a quote (") that is never closed; close it' };
    case 'CSV_MAX_RECORD_SIZE': {
      const message = `the row has more than ${LONGEST_LINE} bytes up to here, as where a quote (") is never closed; close it`;
      return { ...place, message };
    }
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE': {
      const message = 'a quote (") stands inside a cell; put the cell in quotes, and write each quote in it twice';
      return { ...place, message };
    }
    default:
      return { ...place, message: `the table cannot be read on from here: ${error.message}` };
  }
}

function* columnIssues(columns: readonly string[], place: { file: string; line: number }): Generator<RowIssue> {
  const first = new Set<string>();
  for (const [index, name] of columns.entries()) {
    const at = { ...place, row: null };
    if (name === '') {
      yield {
        ...at,
        column: null,
        message: `column ${index + 1} has no name; name it in the first line, or remove it`,
      };
    } else if (first.has(name)) {
      yield { ...at, column: name, message: 'two columns have this name; rename one' };
    }
    first.add(name);
  }
}

/** Finds the table's delimiter: the most frequent candidate in the first line. */
async function withDelimiter(
  pieces: AsyncGenerator<string>,
): Promise<{ readonly delimiter: string; readonly text: AsyncGenerator<string> }> {
  let head = '';
  while (!LINE_END.test(head)) {
    if (head.length > LONGEST_LINE) {
      throw new UnreadableText(`the first line has more than ${LONGEST_LINE} characters; it is to name the columns`);
    }
    const next: IteratorResult<string, unknown> = await pieces.next();
    if (next.done === true) break;
    head += next.value;
  }
  const line = head.split(LINE_END)[0] ?? '';
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  const best = counted.reduce((most, one) => (one.count > most.count ? one : most));
  async function* text(): AsyncGenerator<string> {
    yield head;
    yield* pieces;
  }
  return { delimiter: best.delimiter, text: text() };
}
