import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findTemporalCli } from '../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../workers/temporal-server';
import { temporaryFolder } from '../support/temporary-folder';

/** A process has one Temporal runtime, and jest's own may be any. */
describe('the lines of a worker of one’s own', () => {
  let folder: string;
  let server: TemporalServer;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const cli = findTemporalCli(process.env);
    if (cli === undefined) throw new Error('no temporal CLI; run npm run setup');
    server = await startTemporalServer({ cli: cli.path, logFile: join(folder, 'temporal.log') });
  });
  afterAll(() => server.stop());

  /** Ends by itself: a runtime that stayed open would keep it. */
  function program(
    way: string,
    address = server.address,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<{ stdout: string; stderr: string; code: unknown }> {
    const env = {
      ...variables,
      PATH: process.env['PATH'],
      TEMPORAL_ADDRESS: address,
      DAILIES_STORE: join(folder, 'store'),
      DAILIES_GATEWAY_URL: 'http://127.0.0.1:9',
      DAILIES_GATEWAY_KEY: 'a-key-that-is-long-enough',
    };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(__dirname, 'own-logger.cjs'), way],
        { env, timeout: 60_000 },
        (error, stdout, stderr) => {
          resolve({ stdout, stderr, code: error?.code ?? (error?.killed === true ? 'killed' : 0) });
        },
      );
    });
  }

  it('are none if it is quiet, and the process ends when the worker has', async () => {
    expect(await program('quiet')).toEqual({ stdout: '', stderr: '', code: 0 });
  });

  it('go to the logger that it is given', async () => {
    const { stdout, stderr, code } = await program('logger');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const lines = JSON.parse(stdout) as readonly string[];
    expect(lines.some((line) => line.startsWith('Worker state changed') && line.includes('RUNNING'))).toBe(true);
  });

  it('cause an error if a connection was made before, since a runtime with another logger exists', async () => {
    const { stdout, code } = await program('late');
    expect(stdout).toMatch(/^LoggerTooLate: .*Leave `connection` out/);
    expect(code).toBe(1);
  });

  it.each([
    ['its bundle is missing', 'no bundle', {}, /^Error: ENOENT: .*nowhere\.js/],
    ['the namespace is missing', 'quiet', { TEMPORAL_NAMESPACE: 'nowhere' }, /Namespace nowhere/],
  ])('do not hide why a worker cannot be created: %s; and the process ends', async (_, way, variables, reason) => {
    const { stdout, code } = await program(way, server.address, variables);
    expect(stdout).toMatch(reason);
    expect(code).toBe(1);
  });

  it('do not keep a process alive whose server is not there', async () => {
    const { stdout, stderr, code } = await program('quiet', '127.0.0.1:9');
    expect(stdout).toMatch(/^TransportError: /);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });
});
