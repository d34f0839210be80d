import { randomUUID } from 'node:crypto';
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type AssetRef } from '../../contracts/asset';
import { type Assets, type Describe, PartChanged } from '../../store/assets';
import { beginHash, type HashedBytes } from '../../store/disk/byte-hash';
import { type StoreDrivers } from '../../store/parts';
import { type Records, UnreadableRecord } from '../../store/records';

/** What the stores of one test have in common, as a database and a bucket would. */
export interface Memory {
  readonly records: Map<string, string>;
  readonly assets: Map<string, { readonly bytes: Buffer; putAtMs: number }>;
}

export function newMemory(): Memory {
  return { records: new Map(), assets: new Map() };
}

/** The drivers of a store without files, as the second implementation that the contract is held against. */
export function memoryDrivers(memory: Memory, scratch: string): StoreDrivers {
  return { records: memoryRecords(memory), assets: memoryAssets(memory, scratch), scratch };
}

function memoryRecords({ records }: Memory): Records {
  return {
    create(key, value) {
      if (records.has(key)) return Promise.resolve(false);
      records.set(key, JSON.stringify(value));
      return Promise.resolve(true);
    },
    replace: (key, value) => Promise.resolve(void records.set(key, JSON.stringify(value))),
    async read(key) {
      const text = await Promise.resolve(records.get(key));
      if (text === undefined) return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch (error) {
        throw new UnreadableRecord(`the record ${key} is no JSON`, error);
      }
    },
    list(key) {
      const below = [...records.keys()].filter((one) => one.startsWith(`${key}/`));
      return Promise.resolve([...new Set(below.map((one) => one.slice(key.length + 1).split('/')[0] ?? ''))]);
    },
  };
}

function memoryAssets({ assets }: Memory, scratch: string): Assets {
  type Hashed = Pick<AssetRef, 'sha256'>;
  const bytesOf = ({ sha256 }: Hashed): Buffer => {
    const found = assets.get(sha256);
    if (found === undefined) throw new Error(`there is no asset ${sha256}`);
    return found.bytes;
  };
  const hashed = (bytes: Uint8Array): HashedBytes => {
    const hash = beginHash();
    hash.add(bytes);
    return hash.end();
  };
  const put = (bytes: Buffer): HashedBytes => {
    const { sha256, sizeBytes } = hashed(bytes);
    assets.set(sha256, { bytes, putAtMs: Date.now() });
    return { sha256, sizeBytes };
  };
  const newPart = async (label: string): Promise<string> => {
    const part = join(scratch, `${label}.${randomUUID()}.part`);
    await writeFile(part, '');
    return part;
  };
  async function commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef> {
    try {
      const description = await describe(part);
      const bytes = await readFile(part);
      if (written !== undefined && written.sizeBytes !== bytes.length)
        throw new PartChanged(written.sizeBytes, bytes.length);
      return { ...put(bytes), ...description };
    } finally {
      await rm(part, { force: true });
    }
  }
  async function withLocalFiles<T>(lent: readonly Hashed[], use: (pathOf: (asset: Hashed) => string) => Promise<T>) {
    const paths = new Map(lent.map(({ sha256 }) => [sha256, join(scratch, `${randomUUID()}.lent`)]));
    try {
      for (const [sha256, path] of paths) await writeFile(path, bytesOf({ sha256 }), { mode: 0o400 });
      return await use(({ sha256 }) => paths.get(sha256) ?? '');
    } finally {
      for (const path of paths.values()) await rm(path, { force: true });
    }
  }
  const create: Assets['create'] = async (label, write, describe) =>
    commitPart(await newPart(label), async (part) => {
      await write(part);
      return describe(part);
    });
  return {
    create,
    newPart,
    commitPart,
    withLocalFiles,
    putFile: (path, describe) => create('file', (part) => copyFile(path, part), describe),
    putBytes: (bytes, description) => Promise.resolve({ ...put(Buffer.from(bytes)), ...description }),
    has: (asset) => Promise.resolve(assets.get(asset.sha256)?.bytes.length === asset.sizeBytes),
    sizeOf: ({ sha256 }) => Promise.resolve(assets.get(sha256)?.bytes.length ?? null),
    open: (asset, { start, end } = { start: 0, end: Infinity }) =>
      Readable.from(chunksOf(() => bytesOf(asset).subarray(start, end + 1))),
    readBytes: async (asset) => Promise.resolve(bytesOf(asset)),
    withLocalFile: (asset, use) => withLocalFiles([asset], (pathOf) => use(pathOf(asset))),
    shownPath: ({ sha256 }) => `memory:${sha256}`,
    copyTo: (asset, path) => writeFile(path, bytesOf(asset)),
    async remove({ sha256 }, before) {
      const found = await Promise.resolve(assets.get(sha256));
      return found !== undefined && found.putAtMs < before.getTime() && assets.delete(sha256);
    },
    async leftParts(label) {
      const names = (await readdir(scratch)).filter((name) => name.startsWith(`${label}.`) && name.endsWith('.part'));
      const paths = names.map((name) => join(scratch, name));
      const parts = await Promise.all(paths.map(async (path) => ({ path, sizeBytes: (await stat(path)).size })));
      return parts.sort((a, b) => b.sizeBytes - a.sizeBytes);
    },
    sweepParts: () => Promise.resolve(),
  };
}

function* chunksOf(read: () => Buffer): Generator<Buffer> {
  const bytes = read();
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
