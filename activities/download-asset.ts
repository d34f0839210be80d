import { createWriteStream } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type AssetRef } from '../contracts/asset';
import { DownloadError, type DownloadPolicy, openDownload } from '../gateway';
import { type Describe, type Store } from '../store';
import { failure } from './fail';

const RETRY_MS = 2_000;

export interface AssetDownload {
  readonly url: string;
  /** Groups the part files of one output over its attempts. */
  readonly label: string;
  readonly describe: Describe;
  readonly signal: AbortSignal;
}

/** Brings the bytes behind an address into the store. */
export type DownloadAsset = (download: AssetDownload) => Promise<AssetRef>;

/**
 * Builds the download: streamed to a part file of its own, going on after what an earlier attempt left.
 *
 * Each attempt writes to its own copy, so that one that was thought dead and wakes up spoils nothing. Going on needs
 * the server's strong ETag from then; without one the download starts over.
 *
 * @throws DownloadInterrupted (retried), AddressRefused, OutputUnusable (final).
 */
export function createDownloadAsset(store: Store, policy: DownloadPolicy): DownloadAsset {
  return async ({ url, label, describe, signal }) => {
    const { part, fromByte, etag } = await takeUpPart(store, label);
    try {
      const ifRange = etag === undefined ? {} : { ifRange: etag, fromByte };
      const answer = await openDownload({ url, ...ifRange }, { policy, signal });
      if (isStrong(answer.etag)) await writeFile(etagFile(part), answer.etag);
      const flags = answer.status === 206 ? 'a' : 'w';
      await pipeline(answer.body, createWriteStream(part, { flags }), { signal });
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      if (error.kind === 'restart') await dropParts(store, label);
      throw translate(error);
    }
    const asset = await store.assets.commitPart(part, describe);
    await rm(etagFile(part), { force: true });
    await dropParts(store, label);
    return asset;
  };
}

async function takeUpPart(
  store: Store,
  label: string,
): Promise<{ part: string; fromByte: number; etag: string | undefined }> {
  const part = await store.assets.newPart(label);
  for (const left of await store.assets.leftParts(label)) {
    const etag = await readFile(etagFile(left.path), 'utf8').catch(() => undefined);
    if (etag === undefined || left.sizeBytes === 0) continue;
    await copyFile(left.path, part);
    return { part, etag, fromByte: (await stat(part)).size };
  }
  return { part, fromByte: 0, etag: undefined };
}

async function dropParts(store: Store, label: string): Promise<void> {
  const left = await store.assets.leftParts(label);
  await Promise.all(left.flatMap(({ path }) => [path, etagFile(path)]).map((path) => rm(path, { force: true })));
}

function etagFile(part: string): string {
  return `${part}.etag`;
}

/** A weak ETag promises no equal bytes. */
function isStrong(etag: string | null): etag is string {
  return etag !== null && etag.startsWith('"');
}

function translate(error: DownloadError): unknown {
  switch (error.kind) {
    case 'refused-address':
      return failure('AddressRefused', error.message, { cause: error });
    case 'too-large':
      return failure('OutputUnusable', error.message, { cause: error });
    default:
      return failure('DownloadInterrupted', error.message, { cause: error, nextRetryDelayMs: RETRY_MS });
  }
}
