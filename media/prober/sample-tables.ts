import { type FileHandle, open } from 'node:fs/promises';

/** A longer header is not checked; the prober's own limits apply. Hours of film need only a few megabytes. */
const MOST_HEADER_BYTES = 64 * 1024 * 1024;

/** Boxes that contain the sample tables, from the outermost to the innermost. */
const CONTAINERS = ['trak', 'mdia', 'minf', 'stbl'];

/** Limit for containers within each other. A file with more is no media, and could overflow the stack. */
const DEEPEST = 16;

/**
 * True if a sample table of an MP4 or QuickTime file promises more samples than the file has bytes. False for other
 * formats, and if the header is longer than MOST_HEADER_BYTES.
 *
 * A reader that trusts such a file fills its memory, or counts for hours.
 *
 * Source: ISO/IEC 14496-12, sections 8.6 and 8.7.
 *
 * @throws RangeError if the boxes are nested deeper than in any media; the system's error if the file cannot be read.
 */
export async function promisesTooMuch(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const header = await readMovieHeader(file, size);
    return header !== undefined && boxesPromiseTooMuch(header, size);
  } finally {
    await file.close();
  }
}

async function readMovieHeader(file: FileHandle, fileBytes: number): Promise<Buffer | undefined> {
  const head = Buffer.alloc(16);
  for (let at = 0; at + 8 <= fileBytes;) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const box = boxAt(head.subarray(0, bytesRead), 0, fileBytes - at);
    if (box === undefined) return undefined;
    if (box.name === 'moov') {
      const length = Math.min(box.end, fileBytes - at);
      if (length > MOST_HEADER_BYTES) return undefined;
      const header = Buffer.alloc(length - box.start);
      await file.read(header, 0, header.length, at + box.start);
      return header;
    }
    at += box.end;
  }
  return undefined;
}

function boxesPromiseTooMuch(boxes: Buffer, fileBytes: number, depth = 0): boolean {
  if (depth > DEEPEST) throw new RangeError(`more than ${DEEPEST} boxes within each other`);
  for (let at = 0; at + 8 <= boxes.length;) {
    const box = boxAt(boxes, at, boxes.length - at);
    if (box === undefined) return false;
    const content = boxes.subarray(at + box.start, at + box.end);
    if (CONTAINERS.includes(box.name) && boxesPromiseTooMuch(content, fileBytes, depth + 1)) return true;
    const table = TABLES[box.name];
    if (table !== undefined && content.length >= 8 && table(content) > fileBytes) return true;
    at += box.end;
  }
  return false;
}

/** Start and end of a box's content, from the box's beginning; undefined if these bytes are not a box. */
function boxAt(bytes: Buffer, at: number, rest: number): { name: string; start: number; end: number } | undefined {
  const size = bytes.readUInt32BE(at);
  const name = bytes.toString('latin1', at + 4, at + 8);
  if (size === 0) return { name, start: 8, end: rest };
  if (size !== 1) return size < 8 ? undefined : { name, start: 8, end: size };
  if (at + 16 > bytes.length) return undefined;
  const large = Number(bytes.readBigUInt64BE(at + 8));
  return large < 16 ? undefined : { name, start: 16, end: large };
}

/**
 * Number of samples that each kind of table promises. Other tables are not checked: most have one entry per sample or
 * chunk, so a reader ends at the end of the table.
 */
const TABLES: Readonly<Record<string, (table: Buffer) => number>> = {
  stts: (table) => sum(entriesOf(table, 8).map((at) => table.readUInt32BE(at))),
  ctts: (table) => sum(entriesOf(table, 8).map((at) => table.readUInt32BE(at))),
  stsc: samplesInChunks,
  // Samples of one size need no entries.
  stsz: (table) => (table.length < 12 ? 0 : table.readUInt32BE(8)),
};

/**
 * Each entry gives the samples per chunk from its first chunk to the first chunk of the next entry. The last entry is
 * counted as one chunk.
 */
function samplesInChunks(table: Buffer): number {
  const entries = entriesOf(table, 12).map((at) => [table.readUInt32BE(at), table.readUInt32BE(at + 4)] as const);
  return sum(
    entries.map(([first, perChunk], index) => {
      const next = entries[index + 1]?.[0] ?? first + 1;
      return Math.max(next - first, 0) * Math.max(perChunk, 1);
    }),
  );
}

/** Offsets of a table's entries. */
function entriesOf(table: Buffer, entryBytes: number): readonly number[] {
  const room = Math.floor((table.length - 8) / entryBytes);
  return Array.from({ length: Math.min(table.readUInt32BE(4), room) }, (_, index) => 8 + index * entryBytes);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
