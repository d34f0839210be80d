import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTemporalCli } from '../../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../../workers/temporal-server';
import { temporaryFolder } from '../../support/temporary-folder';

const run = promisify(execFile);

/** A program that closes its connection while calls wait: at once, and while a failed call is about to be retried. */
const PROGRAM = `
const net = require('node:net');
const { connectTemporal } = require(${JSON.stringify(join(__dirname, '..', '..', '..', 'dist', 'client'))});
const [host, port] = process.argv[1].split(':');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {
  const sockets = new Set();
  const proxy = net.createServer((socket) => {
    const server = net.connect(Number(port), host);
    for (const [one, other] of [[socket, server], [server, socket]]) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  for (const isCut of [false, true]) {
    const temporal = await connectTemporal({ address: '127.0.0.1:' + proxy.address().port });
    const workflowId = 'nobody-runs-it-' + isCut;
    const handle = await temporal.client.workflow.start('nobody', { taskQueue: 'nobody', workflowId });
    const waiting = handle.result().then(() => 'ended', (error) => error.cause.code);
    await sleep(300);
    if (isCut) {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await sleep(300);
    }
    await temporal.close();
    console.log(await waiting);
  }
  // As long as it takes until a call is tried again for the last time.
  await sleep(8_000);
}
main();
`;

/** Of gRPC. */
const CANCELLED = 1;

describe('a connection to Temporal', () => {
  let server: TemporalServer;
  beforeAll(async () => {
    const cli = findTemporalCli(process.env);
    if (cli === undefined) throw new Error('no temporal CLI; run npm run setup');
    server = await startTemporalServer({ cli: cli.path, logFile: join(await temporaryFolder(), 'temporal.log') });
  });
  afterAll(() => server.stop());

  it('rejects waiting calls and calls about to be retried when it is closed, and throws nowhere else', async () => {
    const { stdout, stderr } = await run(process.execPath, ['-e', PROGRAM, server.address]);
    expect([stdout, stderr]).toEqual([`${CANCELLED}\n${CANCELLED}\n`, '']);
  });
});
