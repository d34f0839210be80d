import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type RawRow } from './raw-row';
import { LONGEST_LINE, readText, UnreadableText } from './read-text';
import { type RowIssue } from './row-issue';

/** Candidates for the table's delimiter. */
const DELIMITERS = [',', ';', '\t'];

/** Some programs end lines with CR alone. */
const LINE_END = /[\r\n]/;

/** Line ends inside a cell. */
const LINE_ENDS = /\r\n|\r|\n/g;

/** A place in the table: the line, and the number of the row that begins there. The head is row 0. */
interface Place {
  readonly line: number;
  readonly row: number;
}

/**
 * Reads the rows of a CSV or TSV file whose first non-blank line names the columns. Accepts quotes, line ends in
 * quotes, a byte order mark, and line ends of all kinds. Errors in the file are yielded as issues.
 */
export async function* readCsv(file: string, path: string): AsyncGenerator<RawRow | RowIssue> {
  let columns: readonly string[] | undefined;
  // Count lines and rows in the parser's callback: on an error, the parser discards records that were parsed but not
  // yet read.
  let next: Place = { line: 1, row: 0 };
  const places: Place[] = [];
  let source: Readable | undefined;
  try {
    const { delimiter, text } = await withDelimiter(readText(path));
    const parser = parse({
      delimiter,
      relax_column_count: true,
      // Accept all three line ends in one file. By default the parser uses the first line end that it finds, and joins
      // lines with other ends.
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: LONGEST_LINE,
      on_record(record) {
        const place = next;
        next = placeAfter(record, place);
        if (next.row === place.row) return undefined;
        places.push(place);
        return record;
      },
    });
    source = Readable.from(text);
    // `pipe` does not forward errors, and an unhandled stream error ends the process.
    source.on('error', (error) => parser.destroy(error)).pipe(parser);
    for await (const record of parser as AsyncIterable<readonly string[]>) {
      const { line, row } = places.shift() ?? next;
      if (columns === undefined) {
        columns = record.map((name) => name.trim());
        yield* columnIssues(columns, { file, line });
        continue;
      }
      if (record.length > columns.length) {
        const message = `the row has ${record.length} cells, and the first line names ${columns.length} columns; put cells that hold a "${delimiter}" in quotes`;
        yield { file, line, row, column: null, message };
        continue;
      }
      const cells = columns.map((name, index) => [name, record[index] ?? ''] as const);
      const values = Object.fromEntries(cells.filter(([, cell]) => cell.trim() !== ''));
      yield { file, line, row, values, isTable: true, columns };
    }
    if (next.row <= 1) yield { file, line: 1, row: null, column: null, message: 'the table has no rows' };
  } catch (error) {
    yield { file, column: null, ...inWords(error, next) };
  } finally {
    // The parser stops at an error and would leave its source open.
    source?.destroy();
  }
}

/**
 * The place after a record. Blank records do not count as rows: spreadsheets leave rows of empty cells. The counts of
 * csv-parse are not used: it counts a CRLF in quotes as two lines, and blank records as rows.
 */
function placeAfter(record: readonly string[], { line, row }: Place): Place {
  const lineEnds = record.reduce((count, cell) => count + (cell.match(LINE_ENDS)?.length ?? 0), 0);
  // Before the head, only a line without delimiters is blank: a head of empty names must be reported as an error.
  const isBlank = record.every((cell) => cell.trim() === '') && (row > 0 || record.length === 1);
  return { line: line + 1 + lineEnds, row: isBlank ? row : row + 1 };
}

/** Describes an error in the file, with its place. @throws errors that the file did not cause. */
function inWords(error: unknown, { line, row }: Place): Pick<RowIssue, 'line' | 'row' | 'message'> {
  if (error instanceof UnreadableText) return { line: 1, row: null, message: error.message };
  if (!(error instanceof CsvError)) throw error;
  const place = { line, row: row === 0 ? null : row };
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return { ...place, message: 'a cell begins with a quote (") that is never closed; close it' };
    case 'CSV_MAX_RECORD_SIZE': {
      const message = `the row has more than ${LONGEST_LINE} bytes up to here; if a quote (") is not closed, close it`;
      return { ...place, message };
    }
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE': {
      const message = 'a quote (") stands inside a cell; put the cell in quotes, and write each quote in it twice';
      return { ...place, message };
    }
    default:
      return { ...place, message: `the table cannot be read from here on: ${error.message}` };
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

/**
 * Finds the table's delimiter: the most frequent candidate in the first non-empty line. Returns the whole text too.
 *
 * @throws UnreadableText if the file cannot be read, or if its first line is too long.
 */
async function withDelimiter(
  pieces: AsyncGenerator<string>,
): Promise<{ readonly delimiter: string; readonly text: AsyncGenerator<string> }> {
  let head = '';
  while (!LINE_END.test(withoutBlankLines(head))) {
    if (head.length > LONGEST_LINE) {
      throw new UnreadableText(`the first line has more than ${LONGEST_LINE} characters; it must name the columns`);
    }
    const next: IteratorResult<string, unknown> = await pieces.next();
    if (next.done === true) break;
    head += next.value;
  }
  const line = withoutBlankLines(head).split(LINE_END)[0] ?? '';
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  const best = counted.reduce((most, one) => (one.count > most.count ? one : most));
  async function* text(): AsyncGenerator<string> {
    yield head;
    yield* pieces;
  }
  return { delimiter: best.delimiter, text: text() };
}

function withoutBlankLines(head: string): string {
  return head.replace(/^(?:\uFEFF)?[\r\n]+/, '');
}
