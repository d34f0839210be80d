import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Maximum number of bytes per read. */
const READ_BYTES = 1 << 20;

export interface HashedBytes {
  /** In lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** An incremental SHA-256. */
export interface ByteHash {
  readonly add: (bytes: Uint8Array) => void;
  readonly addFile: (path: string, signal?: AbortSignal) => Promise<void>;
  readonly sizeBytes: () => number;
  /** Ends the hash. Nothing can be added afterwards. */
  readonly end: () => HashedBytes;
}

export function beginHash(): ByteHash {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const add = (bytes: Uint8Array): void => {
    hash.update(bytes);
    sizeBytes += bytes.length;
  };
  return {
    add,
    async addFile(path, signal) {
      const file = await open(path);
      try {
        // Some file systems report size 0 for a file with contents.
        const { size } = await file.stat();
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size === 0 ? READ_BYTES : size));
        for (;;) {
          signal?.throwIfAborted();
          const { bytesRead } = await file.read(buffer);
          if (bytesRead === 0) return;
          add(buffer.subarray(0, bytesRead));
        }
      } finally {
        await file.close();
      }
    },
    sizeBytes: () => sizeBytes,
    end: () => ({ sha256: hash.digest('hex'), sizeBytes }),
  };
}

/** SHA-256 of a file's bytes, in lower-case hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = beginHash();
  await hash.addFile(path);
  return hash.end().sha256;
}
