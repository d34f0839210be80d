import { type FileHandle, open } from 'node:fs/promises';

/** Headers of a film of hours take some megabytes; larger ones are left to the bounds of the process. */
const MOST_HEADER_BYTES = 64 * 1024 * 1024;

/** Boxes on the way to a sample table. */
const CONTAINERS = ['trak', 'mdia', 'minf', 'stbl'];

/**
 * Whether an MP4 or QuickTime file promises more samples than it has bytes, or longer tables than it holds. A reader
 * that believes it fills its memory, or counts for hours. False for every other file.
 *
 * Source: ISO/IEC 14496-12, sections 8.6 and 8.7.
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
  for (let at = 0; at + 8 <= fileBytes; ) {
    await file.read(head, 0, 16, at);
    const box = boxAt(head, 0, fileBytes - at);
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

function boxesPromiseTooMuch(boxes: Buffer, fileBytes: number): boolean {
  for (let at = 0; at + 8 <= boxes.length; ) {
    const box = boxAt(boxes, at, boxes.length - at);
    if (box === undefined) return false;
    const content = boxes.subarray(at + box.start, at + box.end);
    if (CONTAINERS.includes(box.name) && boxesPromiseTooMuch(content, fileBytes)) return true;
    const table = TABLES[box.name];
    if (table !== undefined && content.length >= 12 && !table(content, fileBytes)) return true;
    at += box.end;
  }
  return false;
}

/** Where the content of a box starts and ends, from the box's beginning; undefined where that is no box. */
function boxAt(bytes: Buffer, at: number, rest: number): { name: string; start: number; end: number } | undefined {
  const size = bytes.readUInt32BE(at);
  const name = bytes.toString('latin1', at + 4, at + 8);
  if (size === 0) return { name, start: 8, end: rest };
  if (size !== 1) return size < 8 ? undefined : { name, start: 8, end: size };
  if (at + 16 > bytes.length) return undefined;
  const large = Number(bytes.readBigUInt64BE(at + 8));
  return large < 16 ? undefined : { name, start: 16, end: large };
}

/** Whether what a table promises can be so: every sample has a byte in the file, and every entry its own in the table. */
const TABLES: Readonly<Record<string, (table: Buffer, fileBytes: number) => boolean>> = {
  stts: (table, fileBytes) => holds(table, 8) && total(table, 8, 0) <= fileBytes,
  ctts: (table, fileBytes) => holds(table, 8) && total(table, 8, 0) <= fileBytes,
  stsc: (table, fileBytes) => holds(table, 12) && chunksAreWithin(table, fileBytes),
  stsz: (table, fileBytes) => table.readUInt32BE(8) <= (table.readUInt32BE(4) === 0 ? table.length / 4 : fileBytes),
  stz2: (table) => (table.readUInt32BE(8) * table.readUInt8(7)) / 8 <= table.length,
  stss: (table) => holds(table, 4),
  stco: (table) => holds(table, 4),
  co64: (table) => holds(table, 8),
};

function holds(table: Buffer, entryBytes: number): boolean {
  return 8 + table.readUInt32BE(4) * entryBytes <= table.length;
}

/** The sum of one field of all entries. */
function total(table: Buffer, entryBytes: number, offset: number): number {
  let sum = 0;
  for (let at = 8; at < 8 + table.readUInt32BE(4) * entryBytes; at += entryBytes) sum += table.readUInt32BE(at + offset);
  return sum;
}

/** A chunk's number and its count of samples, each at most as large as the file, and the chunks in order. */
function chunksAreWithin(table: Buffer, fileBytes: number): boolean {
  let [previous, samples, perChunk] = [1, 0, 0];
  for (let at = 8; at < 8 + table.readUInt32BE(4) * 12; at += 12) {
    const first = table.readUInt32BE(at);
    if (first < previous || first > fileBytes) return false;
    samples += (first - previous) * perChunk;
    perChunk = table.readUInt32BE(at + 4);
    previous = first;
  }
  return samples + perChunk <= fileBytes;
}
