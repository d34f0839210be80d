import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Serves one file, as a separate process: `file-server.js PATH [BYTES_PER_SECOND]`. The process sends `host:port` to
 * its parent and ends with the parent.
 */
const path = process.argv[2] ?? '';
const bytesPerSecond = Number(process.argv[3] ?? Infinity);
const length = statSync(path).size;

/** Piece size of a paced answer. At 1 Gbit/s, a piece takes 2 ms. */
const PACED_BYTES = 1 << 18;

const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'video/mp4').setHeader('content-length', length);
  const file = createReadStream(path, { highWaterMark: bytesPerSecond === Infinity ? 1 << 20 : PACED_BYTES });
  const body = bytesPerSecond === Infinity ? file : file.compose(paced);
  body.pipe(answer);
});
server.listen(0, '127.0.0.1', () => process.send?.(`127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once('disconnect', () => process.exit(0));

/** Passes bytes no faster than `bytesPerSecond`. */
async function* paced(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const begunAt = performance.now();
  let sent = 0;
  for await (const chunk of chunks) {
    sent += chunk.length;
    const early = begunAt + (sent / bytesPerSecond) * 1_000 - performance.now();
    if (early > 1) await sleep(early);
    yield chunk;
  }
}
