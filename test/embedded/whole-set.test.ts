import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { attachEmbedded } from '../../workers/embedded/attach';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';

describe('the embedded set with its real parts', () => {
  let store: string;
  beforeEach(() => {
    store = mkdtempSync(join(tmpdir(), 'dailies-set-'));
  });
  afterEach(() => {
    rmSync(store, { recursive: true });
  });

  const recorded = () => JSON.parse(readFileSync(setFiles(store).processes, 'utf8')) as ProcessIdentity[];
  const commandOf = ({ pid }: ProcessIdentity) => {
    try {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    } catch {
      // It has ended meanwhile.
      return '';
    }
  };
  const running = (part: RegExp) =>
    recorded()
      .filter(isAlive)
      .find((process) => part.test(commandOf(process)));

  const attach = (env: Record<string, string> = {}) =>
    attachEmbedded({ storeFolder: store, env: { ...process.env, ...env }, gatewayAccount: 'sandbox' });
  const temporalAnswers = async (address: string) => {
    const connection = await Connection.connect({ address, connectTimeout: '1 second' });
    await connection.close();
  };

  it('serves Temporal, a sandbox and a worker, and ends with all of it', async () => {
    const set = await attach();
    try {
      await temporalAnswers(set.temporalAddress);
      const headers = { authorization: `Bearer ${set.sandboxKey}` };
      expect((await fetch(`${set.gatewayUrl}/sandbox/health`, { headers })).ok).toBe(true);
      expect(running(/workers\/main\.js/)).toBeDefined();
    } finally {
      await set.leave();
    }
    expect(recorded().filter(isAlive)).toEqual([]);
  });

  it('says what to install if there is no Temporal server', async () => {
    const attaching = attach({ PATH: '', DAILIES_CACHE: store });
    await expect(attaching).rejects.toThrow(EmbeddedSetFailed);
    await expect(attaching).rejects.toThrow('No Temporal server was found');
  });
});
