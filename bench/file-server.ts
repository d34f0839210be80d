import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Serves one file, in a process of its own: `file-server.js PATH`. Tells its parent `host:port`, and ends with it. */
const path = process.argv[2] ?? '';
const length = statSync(path).size;

const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'video/mp4').setHeader('content-length', length);
  createReadStream(path, { highWaterMark: 1 << 20 }).pipe(answer);
});
server.listen(0, '127.0.0.1', () => process.send?.(`127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once('disconnect', () => process.exit(0));
