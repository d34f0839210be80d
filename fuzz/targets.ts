import { mkdir } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { checkBatch } from '../client/batch-file/check-batch';
import { rowName, takeName, filmName } from '../client/records/out-names';
import { openOutFiles } from '../client/records/out-files';
import { loadProduction } from '../client/production-file';
import { freezeProduction } from '../client/freeze/freeze-production';
import { createGatewayClient, DownloadError, GatewayError, openDownload, type TaskResultReading } from '../gateway';
import { FfmpegError, findFfmpeg, firstFrame, lastFrame, NoFrameError, NotMediaError, probe } from '../media';
import { openStore } from '../store';

/** The result of reading a file. Anything else, such as an undeclared error or a hang, is a finding. */
export type Outcome = 'read' | 'refused';

export interface Case {
  /** Absolute path of the file, which has the name of its sample. */
  readonly path: string;
  readonly bytes: Buffer;
  /** The target may write only to `store`, `out` and `tmp` in this folder. */
  readonly folder: string;
  /** Number of the case. Costly reads are skipped in most rounds. */
  readonly round: number;
}

export type TargetName = 'media' | 'production' | 'batch' | 'answer' | 'wire' | 'download';

/** A key that is recognizable in an answer. */
export const KEY = 'key-3f9a0c77never5shown';

const POLICY = { fileValues: 'auto', dataUriMaxBytes: 20_000_000 } as const;
const MODEL = { id: 'beta-2.5' };
const REQUEST = { model: MODEL, parameters: { prompt: 'a lighthouse' } };

/**
 * Every reader of foreign data, called as activities and commands call it. Each target catches only the errors in the
 * reader's contract.
 */
export const TARGETS: Readonly<Record<TargetName, (one: Case) => Promise<Outcome>>> = {
  async media({ path, folder, round }) {
    const info = await refusedBy(probe(path), NotMediaError);
    if (info === undefined || info.kind !== 'video' || round % 4 !== 0) return info === undefined ? 'refused' : 'read';
    const ffmpeg = await findFfmpeg();
    await mkdir(join(folder, 'out'), { recursive: true });
    for (const take of [firstFrame, lastFrame]) {
      await refusedBy(take(ffmpeg, path, join(folder, 'out', 'frame.png')), NoFrameError, FfmpegError, NotMediaError);
    }
    return 'read';
  },

  async production({ path, folder }) {
    const loaded = await loadProduction(path, POLICY);
    if (!loaded.ok) return loaded.issues.length > 0 ? 'refused' : fail('refused without an issue');
    const { production } = loaded;
    const store = await openStore(join(folder, 'store'));
    await freezeProduction(production, store);
    const files = await openOutFiles(join(folder, 'out', production.id), store.assets);
    for (const { id } of production.shots) await files.putText(takeName(id, 1, { mediaType: 'text/plain' }), id);
    await files.putText(filmName(production.output?.file), production.title);
    await files.done();
    return 'read';
  },

  async batch({ path, folder }) {
    const loaded = await checkBatch(path, { policy: POLICY });
    if (!loaded.ok) return loaded.count > 0 ? 'refused' : fail('refused without an issue');
    const { batch } = loaded;
    try {
      const store = await openStore(join(folder, 'store'));
      const files = await openOutFiles(join(folder, 'out', batch.id), store.assets);
      const text = await store.assets.putBytes(Buffer.from('a text'), TEXT);
      for await (const { key } of batch.read()) await files.putAsset(rowName(key, 1, text), text);
      await files.done();
    } finally {
      await batch.close();
    }
    return 'read';
  },

  answer: ({ bytes }) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    return askGateway(Buffer.concat([Buffer.from(head), bytes]));
  },

  wire: ({ bytes }) => askGateway(bytes),

  async download({ bytes }) {
    const host = await serve(bytes);
    const policy = { allowedPrivateHosts: [host], maxBytes: 1024 * 1024, stallMs: 1_000 };
    const read = async (): Promise<number> => {
      const { body } = await openDownload({ url: `http://${host}/clip.mp4` }, { policy });
      let sizeBytes = 0;
      for await (const piece of body) sizeBytes += (piece as Buffer).length;
      return sizeBytes;
    };
    return (await refusedBy(read(), DownloadError)) === undefined ? 'refused' : 'read';
  },
};

const TEXT = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };

/** Makes all calls of the client; each gets the same answer. @throws Error if an error or kept result has the key. */
async function askGateway(bytes: Buffer): Promise<Outcome> {
  const client = createGatewayClient({
    baseUrl: `http://${await serve(bytes)}`,
    apiKey: KEY,
    timeouts: { bodyMs: 1_000, paidTotalMs: 3_000, readTotalMs: 3_000 },
  });
  const paid = { idempotencyKey: 'take-1' };
  let outcome: Outcome = 'refused';
  try {
    for (const call of [
      () => client.submit(REQUEST, paid),
      () => client.execute(REQUEST, paid),
      () => client.read({ taskId: 'task-1', model: MODEL }),
    ]) {
      const told = await call().catch((error: unknown) => error);
      if (told instanceof Error && !(told instanceof GatewayError)) throw told;
      if (!(told instanceof Error)) outcome = 'read';
      const kept = told instanceof Error ? `${told.message}${JSON.stringify(told)}` : keptOf(told);
      if (kept.includes(KEY)) fail(`an error or a result contains the key: ${kept.slice(0, 300)}`);
    }
  } finally {
    await client.close();
  }
  return outcome;
}

/** The parts of an answer that are stored. Of the addresses of a result, only those in its `raw` are stored. */
export function keptOf(answer: unknown): string {
  const { result } = answer as { readonly result?: TaskResultReading };
  if (result === undefined) return JSON.stringify(answer);
  const { raw, text, model } = result;
  return JSON.stringify({ ...(answer as object), result: { raw, text, model } });
}

/** The value; undefined for an error of one of these kinds. */
async function refusedBy<T>(
  reading: Promise<T>,
  ...kinds: readonly (abstract new (...args: never[]) => Error)[]
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}

function fail(words: string): never {
  throw new Error(words);
}

let server: Server | undefined;
let answer: Buffer = Buffer.alloc(0);

/** Answers each connection with these bytes after its request. Returns host and port. */
async function serve(bytes: Buffer): Promise<string> {
  answer = bytes;
  if (server === undefined) {
    server = createServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
