import { createReadStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { appendFile, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RowEnd } from '../../contracts/render/batch';
import { type BegunBatch, errorCode, ifReadable, type Store } from '../../store';
import { RESULTS_NAME, RESULTS_TABLE_NAME, rowFolder, rowName, rowTakeName } from '../records/out-names';
import { isOfOtherKind, moveAside, openOutFiles, type OutFiles } from '../records/out-files';
import { type LiveBatch, rowStandings } from './batch-report';
import { asLine, type ListLines, openListLines } from './list-lines';
import { OLDEST_TABLE_HEAD, type ResultLine, resultLine, type RowResult, TABLE_HEAD, tableLine } from './result-line';
import { endsOfRun } from './row-ends';
import { takesOfRow } from './row-output';

/** The first line end is searched in this many bytes. The last one is searched backwards, in blocks of this size. */
const TAIL_BYTES = 1 << 20;

export interface ResultFilesOptions {
  readonly store: Store;
  readonly batchId: string;
  readonly begun: BegunBatch;
  /** Absolute path. */
  readonly folder: string;
}

/** A batch's results in its output folder: each row's output, and the lists `results.jsonl` and `results.csv`. */
export class ResultFiles {
  readonly #store: Store;
  readonly #batchId: string;
  readonly #begun: BegunBatch;
  readonly #folder: string;
  readonly #list: string;
  readonly #table: string;
  readonly #written: ListLines;
  readonly #files: OutFiles;
  /** New paths of the files that `open` moved aside. */
  readonly #moved: readonly string[];
  /** Number of pages of row ends that `append` has read. */
  #pages = 0;

  private constructor(
    { store, batchId, begun, folder }: ResultFilesOptions,
    { files, moved }: { readonly files: OutFiles; readonly moved: readonly string[] },
  ) {
    this.#store = store;
    this.#batchId = batchId;
    this.#begun = begun;
    this.#folder = folder;
    [this.#list, this.#table] = listPaths(folder);
    this.#written = openListLines(this.#list);
    this.#files = files;
    this.#moved = moved;
  }

  /**
   * Creates the folder if needed. If a file has the name of a list and Dailies did not write it, moves the file aside.
   * If a crash left an incomplete last line in a list, removes the line. The store still has the row.
   */
  static async open(options: ResultFilesOptions): Promise<ResultFiles> {
    const { store, folder } = options;
    await mkdir(folder, { recursive: true });
    const moved: string[] = [];
    for (const path of listPaths(folder)) {
      if ((await isOfOtherKind(path, 'file')) || (await isForeign(path))) moved.push(await moveAside(path));
      else await mendLastLine(path);
    }
    return new ResultFiles(options, { files: await openOutFiles(folder, store.assets), moved });
  }

  /** Adds the files and lines of ended rows that the list lacks. Returns the number of added rows. */
  async append(): Promise<number> {
    let count = 0;
    for await (const ends of endsOfRun(this.#store, this.#batchId, this.#begun.run, this.#pages)) {
      this.#pages += 1;
      await this.#written.readOn();
      const fresh = ends.filter((end) => !this.#written.has(end));
      const all: ResultLine[] = [];
      for (const end of fresh) all.push(await this.#lineOf({ row: end, state: end.state, end }));
      // Copying files takes time; another command may have added the same rows meanwhile.
      await this.#written.readOn();
      const lines = all.filter((line) => !this.#written.has(line));
      if (lines.length === 0) continue;
      if (await isEmpty(this.#table)) await appendFile(this.#table, `${TABLE_HEAD}\n`);
      await appendFile(this.#list, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await appendFile(this.#table, lines.map((line) => `${tableLine(line)}\n`).join(''));
      count += lines.length;
    }
    return count;
  }

  /**
   * Rewrites both lists, each row once, in the order of the batch's file. Returns the new paths of all files that were
   * moved aside, including those that `open` moved.
   */
  async complete(live: LiveBatch | undefined): Promise<readonly string[]> {
    const [list, table] = [this.#list, this.#table];
    const [listPart, tablePart] = [list, table].map((path) => `${path}.${randomUUID()}.part`) as [string, string];
    const opened: FileHandle[] = [];
    const openPart = async (path: string): Promise<FileHandle> => {
      const file = await open(path, 'wx');
      opened.push(file);
      return file;
    };
    try {
      const [listFile, tableFile] = [await openPart(listPart), await openPart(tablePart)];
      await tableFile.write(`${TABLE_HEAD}\n`);
      for await (const standing of rowStandings(this.#store, this.#begun, this.#batchId, live)) {
        const line = await this.#lineOf(standing);
        await listFile.write(`${JSON.stringify(line)}\n`);
        await tableFile.write(`${tableLine(line)}\n`);
      }
      await Promise.all([listFile.sync(), tableFile.sync()]);
      await rename(listPart, list);
      await rename(tablePart, table);
    } finally {
      await Promise.all(opened.map((file) => file.close()));
      await Promise.all([listPart, tablePart].map((part) => rm(part, { force: true })));
    }
    const aside = await this.#files.done();
    const { renderId } = this.#begun;
    await this.#store.outPlaces.notePublication(this.#batchId, { folder: this.#folder, renderId, film: null });
    return [...this.#moved, ...aside];
  }

  async #lineOf(result: RowResult): Promise<ResultLine> {
    const { end } = result;
    if (end === null) return resultLine(this.#store, result, null);
    let why = '';
    const written = await ifReadable(
      () => this.#put(end),
      ({ message }) => (why = message),
    );
    if (written !== undefined) return resultLine(this.#store, result, written.value);
    const reason = `its takes are not copied, because a record in the store is unreadable: ${why}`;
    return resultLine(this.#store, { ...result, end: { ...end, reason } }, null);
  }

  /** Copies a row's output into the folder. Returns the path of the copy; null if the store has no output. */
  async #put({ key, state, take, asset }: RowEnd): Promise<string | null> {
    // A completed row with neither asset nor take is a production without a film: copy the takes of its shots instead.
    if (asset === null) return state === 'completed' && take === null ? this.#putTakes(key) : null;
    if (!(await this.#store.assets.has(asset))) return null;
    const name = rowName(key, take, asset);
    await this.#files.putAsset(name, asset);
    return join(this.#folder, name);
  }

  /** Copies the chosen takes of a row's production. Returns the path of their folder; null if none is in the store. */
  async #putTakes(key: string): Promise<string | null> {
    const batch = { batchId: this.#batchId, account: this.#begun.account };
    let count = 0;
    for (const { shot, take, asset } of (await takesOfRow(this.#store, batch, key)) ?? []) {
      if (!(await this.#store.assets.has(asset))) continue;
      await this.#files.putAsset(rowTakeName(key, shot, take, asset), asset);
      count += 1;
    }
    return count === 0 ? null : join(this.#folder, rowFolder(key));
  }
}

/** The paths of `results.jsonl` and `results.csv`. */
function listPaths(folder: string): readonly [string, string] {
  return [join(folder, RESULTS_NAME), join(folder, RESULTS_TABLE_NAME)];
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
  if (!isTable) return asLine(text) === undefined;
  return !`${text},`.startsWith(`${OLDEST_TABLE_HEAD},`) || !`${TABLE_HEAD},`.startsWith(`${text},`);
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
