import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDownloadAsset } from '../../activities/collect/download-asset';
import { openStore, type FolderStore } from '../../store';
import { modesBelow } from '../../store/disk/modes';
import { ADDRESS, intent } from '../support/ledger-fixtures';
import { startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from '../scripts/command';

const PLAIN = { mediaType: 'video/mp4', durationSeconds: null, width: null, height: null };

let folder: string;
let umask: number;

beforeEach(async () => {
  folder = await temporaryFolder();
  umask = process.umask(0o000);
});

afterEach(() => void process.umask(umask));

/** All that a production writes to a store. */
async function fill(store: FolderStore): Promise<void> {
  await store.ledger.intend(ADDRESS, intent());
  const own = join(folder, 'picture.png');
  await writeFile(own, randomBytes(64));
  await store.assets.putFile(own, () => Promise.resolve(PLAIN));
  await store.assets.putBytes(randomBytes(64), PLAIN);
  // As a program that replaces the part file by its own file.
  const anew = async (part: string) => {
    await rm(part);
    await writeFile(part, randomBytes(64));
  };
  await store.assets.create('film', anew, () => Promise.resolve(PLAIN));
  const pieces = store.films.pieces('film');
  await pieces.open();
  await pieces.keep('recipe', (path) => writeFile(path, 'piece'));
  await halfDownload(store);
}

/** Leaves a part file, and beside it the record with which a later attempt continues. */
async function halfDownload(store: FolderStore): Promise<void> {
  const server = await startScriptedGateway((_, response) => {
    response.writeHead(200, { etag: '"v1"', 'content-length': 100 });
    response.write('half', () => setTimeout(() => response.destroy(), 50));
  });
  const policy = { allowedPrivateHosts: [new URL(server.url).host], maxBytes: 1_000 };
  const signal = new AbortController().signal;
  const describe = () => Promise.resolve(PLAIN);
  const download = createDownloadAsset(store, policy)({ url: server.url, label: 'take', describe, signal });
  await expect(download).rejects.toMatchObject({ type: 'DownloadInterrupted' });
  await server.close();
}

/** Mode of each file and folder, the root's own under the empty name. */
async function modesIn(root: string): Promise<Readonly<Record<string, string>>> {
  const names = ['', ...(await readdir(root, { recursive: true }))];
  const entries = names.map(async (name) => {
    const found = await lstat(join(root, name));
    return [name, `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o7777).toString(8)}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const kindsIn = async (root: string) => [...new Set(Object.values(await modesIn(root)))].sort();

it('a store is private to its owner, whatever the umask', async () => {
  const store = await openStore(join(folder, 'films', '.dailies'));
  await fill(store);
  expect(Object.keys(await modesIn(store.folder)).length).toBeGreaterThan(12);
  expect(await kindsIn(store.folder)).toEqual(['file 600', 'folder 700']);
});

it('a command leaves nothing readable by others in its store or backup', async () => {
  await dailies(['doctor'], { folder });
  const { exitCode } = await dailies(['ledger', '--backup', 'kept/backup.jsonl'], { folder });
  expect(exitCode).toBe(0);
  expect(await kindsIn(join(folder, 'kept'))).toEqual(['file 600', 'folder 700']);
  expect(await kindsIn(join(folder, 'store'))).toEqual(['file 600', 'folder 700']);
});

it('exported files have the mode of the umask', async () => {
  const store = await openStore(join(folder, '.dailies'));
  const asset = await store.assets.putBytes(randomBytes(64), PLAIN);
  process.umask(0o022);
  await store.assets.copyTo(asset, join(folder, 'out', 'clip.mp4'));
  expect(await kindsIn(join(folder, 'out'))).toEqual(['file 644', 'folder 755']);
});

it.each([
  ['2770', ['file 660', 'folder 2770']],
  ['2775', ['file 660', 'folder 2770', 'folder 2775']],
  ['750', ['file 640', 'folder 750']],
  ['755', ['file 600', 'folder 700', 'folder 755']],
])('a store in a folder with mode %s gives its group the same rights', async (mode, kinds) => {
  const root = join(folder, 'shared');
  await mkdir(root);
  await chmod(root, Number.parseInt(mode, 8));
  const store = await openStore(root);
  await fill(store);
  expect(await kindsIn(root)).toEqual(kinds.toSorted());
});

it.each([
  ['755', '700'],
  ['2775', '2770'],
  ['750', '750'],
])('a store from an earlier version with mode %s is closed to others: %s', async (before, after) => {
  const root = join(folder, '.dailies');
  await openStore(root);
  await chmod(root, Number.parseInt(before, 8));
  await openStore(root);
  expect(((await stat(root)).mode & 0o7777).toString(8)).toBe(after);
  const { folder: below } = await modesBelow(root);
  expect(below & 0o007).toBe(0);
});

it('a store that a person has opened to all stays open, including new files', async () => {
  const root = join(folder, '.dailies');
  await openStore(root);
  await chmod(root, 0o777);
  await openStore(root);
  expect((await stat(root)).mode & 0o777).toBe(0o777);
  expect(await modesBelow(root)).toEqual({ file: 0o666, folder: 0o777 });
});

it('a store under another name that others may read is left unchanged, and doctor warns', async () => {
  const root = join(folder, 'films');
  await mkdir(root);
  await chmod(root, 0o755);
  const env = { DAILIES_STORE: root };
  const { stdout } = await dailies(['doctor'], { folder, env });
  expect(stdout).toContain(`chmod -R o-rwx ${root}`);
  expect((await stat(root)).mode & 0o777).toBe(0o755);
  await chmod(root, 0o700);
  expect((await dailies(['doctor'], { folder, env })).stdout).not.toContain('chmod');
});
