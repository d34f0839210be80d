import { createReadStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RowEnd } from '../../contracts/render/batch';
import { type BegunBatch, errorCode, ifReadable, type Store } from '../../store';
import { RESULTS_NAME, RESULTS_TABLE_NAME, rowFolder, rowName, rowTakeName } from '../records/out-names';
import { isOfOtherKind, moveAside, openOutFiles } from '../records/out-files';
import { type LiveBatch, rowStandings } from './batch-report';
import { asLine, openListLines } from './list-lines';
import { type ResultLine, resultLine, type RowResult, TABLE_HEAD, tableLine } from './result-line';
import { endsOfRun } from './row-ends';
import { takesOfRow } from './row-output';

/** Bytes in which the first line end of a file is searched; block size of the search for the last line end. */
const TAIL_BYTES = 1 << 20;

/** A batch's results in its output folder: each row's output, and the lists `results.jsonl` and `results.csv`. */
export interface ResultFiles {
  /** Adds the files and lines of ended rows that the list lacks. Returns the number of added rows. */
  append(): Promise<number>;
  /**
   * Rewrites both lists, each row once, in the order of the batch's file. Returns the new paths of all files that were
   * moved aside, including those that `openResultFiles` moved.
   */
  complete(live: LiveBatch | undefined): Promise<readonly string[]>;
}

export interface ResultFilesOptions {
  readonly store: Store;
  readonly batchId: string;
  readonly begun: BegunBatch;
  /** Absolute path. */
  readonly folder: string;
}

/**
 * Creates the folder if needed. If a file has the name of a list and Dailies did not write it, moves the file aside.
 * If a crash left an incomplete last line in a list, removes the line. The store still has the row.
 */
export async function openResultFiles(options: ResultFilesOptions): Promise<ResultFiles> {
  const { store, batchId, begun, folder } = options;
  const [list, table] = [join(folder, RESULTS_NAME), join(folder, RESULTS_TABLE_NAME)];
  await mkdir(folder, { recursive: true });
  const moved: string[] = [];
  for (const path of [list, table]) {
    if ((await isOfOtherKind(path, 'file')) || (await isForeign(path))) moved.push(await moveAside(path));
    else await mendLastLine(path);
  }
  const written = openListLines(list);
  const files = await openOutFiles(folder, store.assets);
  let pages = 0;

  /** Copies the row's output into the folder. Returns the path of the copy; null if the store lacks the output. */
  async function put({ key, state, take, asset }: RowEnd): Promise<string | null> {
    // A completed row with neither asset nor take is a production without a film: copy the takes of its shots instead.
    if (asset === null) return state === 'completed' && take === null ? putTakes(key) : null;
    if (!(await store.assets.has(asset))) return null;
    const name = rowName(key, take, asset);
    await files.putAsset(name, asset);
    return join(folder, name);
  }
  /** Copies the chosen takes of a row's production. Returns the path of their folder; null if none is in the store. */
  async function putTakes(key: string): Promise<string | null> {
    let count = 0;
    for (const { shot, take, asset } of (await takesOfRow(store, { batchId, account: begun.account }, key)) ?? []) {
      if (!(await store.assets.has(asset))) continue;
      await files.putAsset(rowTakeName(key, shot, take, asset), asset);
      count += 1;
    }
    return count === 0 ? null : join(folder, rowFolder(key));
  }
  async function lineOf(result: RowResult): Promise<ResultLine> {
    const { end } = result;
    if (end === null) return resultLine(store, result, null);
    let why = '';
    const written = await ifReadable(
      () => put(end),
      ({ message }) => (why = message),
    );
    if (written !== undefined) return resultLine(store, result, written.value);
    const reason = `its takes are not copied, because a record in the store is unreadable: ${why}`;
    return resultLine(store, { ...result, end: { ...end, reason } }, null);
  }

  return {
    async append() {
      let count = 0;
      for await (const ends of endsOfRun(store, batchId, begun.run, pages)) {
        pages += 1;
        await written.readOn();
        const fresh = ends.filter((end) => !written.has(end));
        const all: ResultLine[] = [];
        for (const end of fresh) all.push(await lineOf({ row: end, state: end.state, end }));
        // Copying files takes time; another command may have added the same rows meanwhile.
        await written.readOn();
        const lines = all.filter((line) => !written.has(line));
        if (lines.length === 0) continue;
        if (await isEmpty(table)) await appendFile(table, `${TABLE_HEAD}\n`);
        await appendFile(list, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        await appendFile(table, lines.map((line) => `${tableLine(line)}\n`).join(''));
        count += lines.length;
      }
      return count;
    },
    async complete(live) {
      const [listPart, tablePart] = [list, table].map((path) => `${path}.${randomUUID()}.part`) as [string, string];
      const [listFile, tableFile] = [await open(listPart, 'wx'), await open(tablePart, 'wx')];
      try {
        await tableFile.write(`${TABLE_HEAD}\n`);
        for await (const standing of rowStandings(store, begun, batchId, live)) {
          const line = await lineOf(standing);
          await listFile.write(`${JSON.stringify(line)}\n`);
          await tableFile.write(`${tableLine(line)}\n`);
        }
        await Promise.all([listFile.sync(), tableFile.sync()]);
        await rename(listPart, list);
        await rename(tablePart, table);
      } finally {
        await Promise.all([listFile.close(), tableFile.close()]);
        await Promise.all([listPart, tablePart].map((part) => rm(part, { force: true })));
      }
      const aside = await files.done();
      await store.outPlaces.notePublication(batchId, { folder, renderId: begun.renderId, film: null });
      return [...moved, ...aside];
    },
  };
}

/**
 * True if the first line shows that Dailies did not write the file. If a crash cut off the first line, the part that
 * exists decides.
 */
async function isForeign(path: string): Promise<boolean> {
  const { text, isWhole } = await firstLine(path);
  const isTable = path.endsWith('.csv');
  if (!isWhole) return isTable ? !TABLE_HEAD.startsWith(text) : !isBeginning(text);
  // A table of an older version may lack columns at the end.
  return isTable ? !`${TABLE_HEAD},`.startsWith(`${text},`) : asLine(text) === undefined;
}

/** How each line of `results.jsonl` begins. */
const LINE_START = '{"key":';

function isBeginning(text: string): boolean {
  return text.startsWith(LINE_START) || LINE_START.startsWith(text);
}

/** The first line, or its first `TAIL_BYTES`; empty if the file is missing. */
async function firstLine(path: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  if (!(await exists(path))) return { text: '', isWhole: false };
  const input = createReadStream(path, { end: TAIL_BYTES });
  let read = '';
  for await (const piece of input.setEncoding('utf8')) read += piece as string;
  return { text: read.split('\n')[0] ?? '', isWhole: read.includes('\n') };
}

async function mendLastLine(path: string): Promise<void> {
  if (!(await exists(path))) return;
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    let [start, end] = [size, -1];
    while (end < 0 && start > 0) {
      const length = Math.min(start, TAIL_BYTES);
      start -= length;
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
      end = buffer.lastIndexOf('\n');
    }
    if (start + end + 1 < size) await file.truncate(start + end + 1);
  } finally {
    await file.close();
  }
}

async function isEmpty(path: string): Promise<boolean> {
  return !(await exists(path)) || (await stat(path)).size === 0;
}

async function exists(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r')).close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
