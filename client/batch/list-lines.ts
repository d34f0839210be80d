import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../store';
import { type ResultLine } from './result-line';

/** The rows that `results.jsonl` contains. Other commands that follow the same batch may add rows to the file. */
export interface ListLines {
  /** Reads the complete lines that were added since the last call. Reads all lines if the file was replaced. */
  readOn(): Promise<void>;
  has(line: Pick<ResultLine, 'key' | 'at'>): boolean;
}

const LINE_END = 0x0a;

export function openListLines(list: string): ListLines {
  const written = new Set<string>();
  let [offset, inode, changedMs] = [0, 0, 0];
  /** The bytes of the last line before `offset`, with its line end. */
  let lastLine = Buffer.alloc(0);
  return {
    async readOn() {
      const file = await fileAt(list);
      const isSame =
        file?.ino === inode &&
        file.size >= offset &&
        (file.mtimeMs === changedMs || (await bytesBefore(list, offset, lastLine.length)).equals(lastLine));
      // The file was replaced. A new file may have the inode of the old one, but not its lines.
      if (!isSame) {
        written.clear();
        offset = 0;
        lastLine = Buffer.alloc(0);
      }
      [inode, changedMs] = [file?.ino ?? 0, file?.mtimeMs ?? 0];
      if (file === undefined || file.size === offset) return;
      let rest = Buffer.alloc(0);
      for await (const piece of createReadStream(list, { start: offset })) {
        rest = Buffer.concat([rest, piece as Buffer]);
        for (let end = rest.indexOf(LINE_END); end !== -1; end = rest.indexOf(LINE_END)) {
          const line = asLine(rest.subarray(0, end).toString('utf8'));
          if (line !== undefined) written.add(nameOf(line));
          lastLine = rest.subarray(0, end + 1);
          rest = rest.subarray(end + 1);
          offset += end + 1;
        }
      }
    },
    has: (line) => written.has(nameOf(line)),
  };
}

/** The parsed line; undefined if it is not a result line. */
export function asLine(text: string): Pick<ResultLine, 'key' | 'at'> | undefined {
  try {
    const value = JSON.parse(text) as Partial<ResultLine> | null;
    return typeof value?.key === 'string' && typeof value.state === 'string' ? (value as ResultLine) : undefined;
  } catch {
    return undefined;
  }
}

/** A line's entry in `written`. It contains the time, since a row that is rendered again gets another line. */
function nameOf({ key, at }: Pick<ResultLine, 'key' | 'at'>): string {
  return `${key} ${at ?? ''}`;
}

async function bytesBefore(path: string, offset: number, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0);
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path, { start: offset - count, end: offset - 1 })) {
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

async function fileAt(path: string): Promise<Pick<Stats, 'ino' | 'size' | 'mtimeMs'> | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
