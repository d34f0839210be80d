import { constants, createWriteStream } from 'node:fs';
import { copyFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type AssetRef } from '../../contracts/asset';
import { DownloadError, type DownloadFailure, type DownloadPolicy, openDownload } from '../../gateway';
import { type Assets, beginHash, type Describe, type HashedBytes, PartChanged, type Store } from '../../store';
import { failure } from '../fail';

/**
 * Delay before a download continues after an attempt that made progress. Without progress, the retry policy's growing
 * delays apply.
 */
const GO_ON_MS = 2_000;

/**
 * Size of the write buffer. Bytes that arrive during a write are written together, since a write for each 64 KiB from
 * the network costs more. A download holds at most twice this size in memory.
 */
const WRITE_BYTES = 1 << 20;

export interface AssetDownload {
  readonly url: string;
  /** Shared by the part files of all attempts at one output. */
  readonly label: string;
  readonly describe: Describe;
  readonly signal: AbortSignal;
}

export type DownloadAsset = (download: AssetDownload) => Promise<AssetRef>;

/** After these failures the downloaded bytes are useless. */
const FRUITLESS: readonly DownloadFailure[] = ['restart', 'too-large', 'refused-address'];

/**
 * Makes the function that downloads an address into the store. A download streams to a part file, and continues after
 * the bytes of an earlier attempt if possible.
 *
 * Each attempt writes to its own part file and removes the part files of earlier attempts. So an attempt that runs on
 * after its timeout does no harm, and at most one part file remains. A download continues only if the earlier response
 * had a strong ETag; otherwise it starts over.
 *
 * @throws DownloadInterrupted (retried), AddressRefused, OutputUnusable (final); errors of the disk and of `describe`.
 */
export function createDownloadAsset({ assets }: Store, policy: DownloadPolicy): DownloadAsset {
  return async ({ url, label, describe, signal }) => {
    const left = await assets.leftParts(label);
    const part = await assets.newPart(label);
    let fromByte = 0;
    let written: HashedBytes;
    try {
      fromByte = await takeUp(left, part);
      written = await fetchInto(part, url, policy, signal);
    } catch (error) {
      const isFruitless = error instanceof DownloadError && FRUITLESS.includes(error.kind);
      const isKept = !isFruitless && (await etagOf(part)) !== undefined;
      const hasGained = isKept && (await sizeOf(part)) > fromByte;
      if (!isKept) await drop(part);
      throw error instanceof DownloadError ? translate(error, hasGained) : error;
    }
    try {
      return await assets.commitPart(part, describe, written);
    } catch (error) {
      throw error instanceof PartChanged ? failure('DownloadInterrupted', error.message, { cause: error }) : error;
    } finally {
      await drop(part);
    }
  };
}

/**
 * Copies the largest part file that can be continued, and removes all earlier part files. Writes the ETag last, so that
 * a crash never leaves an ETag without its bytes.
 *
 * @returns the number of bytes in the copy.
 */
async function takeUp(left: Awaited<ReturnType<Assets['leftParts']>>, part: string): Promise<number> {
  let taken = 0;
  for (const { path, sizeBytes } of left) {
    const etag = await etagOf(path);
    if (etag === undefined || sizeBytes === 0) continue;
    await copyFile(path, part, constants.COPYFILE_FICLONE);
    await noteEtag(part, etag);
    taken = sizeBytes;
    break;
  }
  await Promise.all(left.map(({ path }) => drop(path)));
  return taken;
}

/** @returns size and hash of the whole part file. */
async function fetchInto(part: string, url: string, policy: DownloadPolicy, signal: AbortSignal): Promise<HashedBytes> {
  const etag = await etagOf(part);
  const begun = beginHash();
  // Hash before the request, since the server may not wait while the file is hashed.
  if (etag !== undefined) await begun.addFile(part, signal);
  const goOn = etag === undefined ? {} : { ifRange: etag, fromByte: begun.sizeBytes() };
  const answer = await openDownload({ url, ...goOn }, { policy, signal });
  try {
    if (answer.status === 200) await startOver(part, answer.etag);
    const hash = answer.status === 200 ? beginHash() : begun;
    // Backpressure from the file also limits the bytes that reach the hash.
    answer.body.on('data', hash.add);
    // If another attempt has removed the part file, this stream recreates it. If bytes are then missing, `commitPart`
    // refuses the file.
    await pipeline(answer.body, createWriteStream(part, { flags: 'a', mode: 0o600, highWaterMark: WRITE_BYTES }), {
      signal,
    });
    return hash.end();
  } finally {
    answer.body.destroy();
  }
}

/** Removes the old ETag first and writes the new one last, so that a crash never leaves an ETag with wrong bytes. */
async function startOver(part: string, etag: string | null): Promise<void> {
  await rm(etagFile(part), { force: true });
  await truncate(part);
  // A weak ETag does not promise equal bytes.
  if (etag?.startsWith('"') === true) await noteEtag(part, etag);
}

async function noteEtag(part: string, etag: string): Promise<void> {
  const { mode } = await stat(part);
  await writeFile(etagFile(part), etag, { mode: mode & 0o777 });
}

async function sizeOf(part: string): Promise<number> {
  return stat(part).then(
    ({ size }) => size,
    () => 0,
  );
}

async function drop(part: string): Promise<void> {
  await Promise.all([part, etagFile(part)].map((path) => rm(path, { force: true })));
}

async function etagOf(part: string): Promise<string | undefined> {
  return readFile(etagFile(part), 'utf8').catch(() => undefined);
}

function etagFile(part: string): string {
  return `${part}.etag`;
}

function translate(error: DownloadError, hasGained: boolean): unknown {
  switch (error.kind) {
    case 'refused-address':
      return failure('AddressRefused', error.message, { cause: error });
    case 'too-large':
      return failure('OutputUnusable', error.message, { cause: error });
    default:
      return failure('DownloadInterrupted', error.message, {
        cause: error,
        ...(hasGained ? { nextRetryDelayMs: GO_ON_MS } : {}),
      });
  }
}
