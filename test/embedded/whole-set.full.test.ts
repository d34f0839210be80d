import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { attachEmbedded } from '../../workers/embedded/attach';
import { isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';
import { until } from '../support/until';

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

  it('comes back at the same addresses when Temporal and the sandbox are killed', async () => {
    const set = await attach();
    try {
      const before = recorded();
      process.kill(running(/start-dev/)!.pid, 'SIGKILL');
      process.kill(running(/sandbox-main/)!.pid, 'SIGKILL');
      const isNew = (part: RegExp) => {
        const now = running(part);
        return now !== undefined && !before.some(({ pid }) => pid === now.pid);
      };
      await until(() => isNew(/start-dev/) && isNew(/sandbox-main/));
      await until(() =>
        Promise.all([temporalAnswers(set.temporalAddress), fetch(`${set.gatewayUrl}/sandbox/health`)]).then(
          () => true,
          () => false,
        ),
      );
    } finally {
      await set.leave();
    }
  });

  it('does not pass profiles for another Temporal server, or keys, to its parts', async () => {
    const set = await attach({
      TEMPORAL_NAMESPACE: 'elsewhere',
      TEMPORAL_TLS: 'true',
      TEMPORAL_PROFILE: 'production',
      DAILIES_GATEWAY_KEY: 'a-real-key',
    });
    try {
      const processes = recorded().filter(isAlive);
      for (const process of processes) expect(environmentOf(process)).not.toContain('a-real-key');
      const key = /DAILIES_GATEWAY_KEY=([^\0]+)/.exec(environmentOf(running(/workers\/main\.js/)!))?.[1];
      expect(key).toBeDefined();
      for (const process of processes) expect(commandOf(process)).not.toContain(key);
      // For another worker of the same user: no other user may read it.
      expect(filesHolding(key!)).toEqual([expect.stringMatching(/embedded\/sandbox-key$/)]);
    } finally {
      await set.leave();
    }
  });

  const filesHolding = (text: string): string[] => {
    try {
      return execFileSync('grep', ['-rl', text, store], { encoding: 'utf8' }).split('\n').filter(Boolean);
    } catch {
      // grep ends with 1 if nothing was found.
      return [];
    }
  };
});

function environmentOf({ pid }: ProcessIdentity): string {
  return readFileSync(`/proc/${pid}/environ`, 'utf8');
}
