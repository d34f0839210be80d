import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pick, type Random } from '../sandbox/random';

/** Folders of assets, complete and partial. A backup does not contain them, so a drill does not delete them. */
const BYTES = new Set(['assets', 'parts']);

/** Folders and files that network storage, file managers and file systems create. */
const FOREIGN_FOLDERS = ['@eaDir', 'lost+found', '.Trash-1000', '#recycle'] as const;
const FOREIGN_FILES = ['.DS_Store', 'Thumbs.db', '._intent.json', 'intent (copy).json'] as const;

/** Names of records, from which the names of half-written part files are made. A killed process leaves such files. */
const HALF_WRITTEN = ['intent.json', 'sent-1.json', 'accepted-1.json'] as const;

/** Number of random folders that get foreign files. */
const DRAWN_FOLDERS = 20;

/** Creates foreign files and half-written part files in the store's folder, the ledger's folder and random folders. */
export async function createForeignFiles(store: string, random: Random): Promise<void> {
  const folders = await foldersIn(store);
  const drawn = Array.from({ length: DRAWN_FOLDERS }, () => pick(random, store, ...folders));
  for (const folder of [store, join(store, 'ledger'), ...drawn]) {
    const inside = join(folder, pick(random, ...FOREIGN_FOLDERS));
    await mkdir(inside, { recursive: true });
    await writeFile(join(inside, 'index.json'), '{');
    await writeFile(join(folder, pick(random, ...FOREIGN_FILES)), '{');
    await writeFile(join(folder, `${pick(random, ...HALF_WRITTEN)}.${randomUUID()}.part`), '{ "at": "20');
  }
}

/** Copies the records of a store that is in use. */
export async function copyRecords(store: string, copy: string): Promise<void> {
  await cp(store, copy, {
    recursive: true,
    preserveTimestamps: true,
    // Part files appear and disappear during the copy.
    filter: (source) => !BYTES.has(basename(source)) && !source.endsWith('.part'),
  });
}

/** Deletes all records of a store, and keeps the bytes of assets. */
export async function loseRecords(store: string): Promise<void> {
  const names = (await readdir(store)).filter((name) => !BYTES.has(name));
  for (const name of names) await rm(join(store, name), { recursive: true, force: true });
}

/** The folders that may contain records. */
async function foldersIn(store: string): Promise<readonly string[]> {
  const entries = await readdir(store, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => ![...BYTES, ...FOREIGN_FOLDERS].some((name) => path.split('/').includes(name)));
}
