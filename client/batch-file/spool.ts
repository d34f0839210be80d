import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { linesOf } from '../../store';

/** Values in a temporary file, in order, so that 100,000 rows are not held in memory. */
export interface Spool<Value> {
  put(value: Value): Promise<void>;
  /** After reading has begun, no value can be put. */
  read(): AsyncIterable<Value>;
  remove(): Promise<void>;
}

export async function openSpool<Value>(): Promise<Spool<Value>> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-batch-'));
  const path = join(folder, 'rows.jsonl');
  const out = createWriteStream(path);
  const isEnded = finished(out);
  // Avoids an unhandled rejection; `ended` still reports the error.
  isEnded.catch(() => undefined);
  const ended = (): Promise<void> => {
    out.end();
    return isEnded;
  };
  return {
    async put(value) {
      if (!out.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(out, 'drain'), isEnded]);
    },
    async *read() {
      await ended();
      for await (const line of linesOf(path)) {
        yield JSON.parse(line) as Value;
      }
    },
    async remove() {
      // A failed write, for example on a full disk, must not leave the folder behind.
      await ended().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
