import { existsSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { openStore, targetName } from '../../store';
import { filesWith } from '../support/files-with';
import { AT } from '../support/ledger-fixtures';
import { NOTIFY_SECRET } from '../support/hook-receiver';
import { dailies } from './command';
import { folder, receiver, write } from './notified-film';

describe('notify in a production file', () => {
  it('is refused without a secret, and nothing is stored', async () => {
    await write(`{ url: ${receiver.url} }`);
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('film.yaml:3:1');
    expect(stderr).toContain('set DAILIES_NOTIFY_SECRET');
    expect(existsSync(join(folder, 'store'))).toBe(false);
    const valid = await dailies(['validate', 'film.yaml'], { folder });
    expect(valid.exitCode).toBe(0);
  });

  it('is refused with an invalid address or unknown types', async () => {
    await write('{ url: "ftp://example.com/x", on: [done] }');
    const { exitCode, stderr } = await dailies(['validate', 'film.yaml'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/film.yaml:3:\d+.*must be an http or https address/);
    expect(stderr).toMatch(/film.yaml:3:\d+.*production.completed/);
    await write('{ url: "https://user:hidden@example.com/x" }');
    const credentials = await dailies(['validate', 'film.yaml'], { folder });
    expect(credentials.exitCode).toBe(2);
  });

  it.each(['short', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(200)}`])('is refused with the secret %s', async (bad) => {
    await write(`{ url: ${receiver.url} }`);
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], {
      folder,
      env: { DAILIES_NOTIFY_SECRET: bad },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('DAILIES_NOTIFY_SECRET must be whsec_');
    expect(stderr).not.toContain(bad);
  });

  it('is refused before anything is sent if the workers would never post to its address', async () => {
    await write(`{ url: ${receiver.url} }`);
    const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET };
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder, env });
    expect(stderr).toContain('notify: POST to 127.0.0.1');
    expect(stderr).toContain('List the host in DAILIES_NOTIFY_HOSTS');
    expect(exitCode).toBe(2);
    expect(existsSync(join(folder, 'store', 'embedded'))).toBe(false);
  });

  it('sends the receiver a notice, and status and manifest say so', async () => {
    await write(`{ url: ${receiver.url} }`);
    const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };
    const { exitCode } = await dailies(['render', 'film.yaml', '--quiet'], { folder, env });
    expect(exitCode).toBe(0);
    const [told] = receiver.told();
    expect(told).toMatchObject({ type: 'production.completed', isSigned: true, data: { production: 'film' } });
    const status = await dailies(['status', 'film', '--json'], { folder, env });
    const { notices } = Manifest.parse(JSON.parse(status.stdout));
    expect(notices).toMatchObject([{ id: told?.id, type: 'production.completed', state: 'delivered', attempts: 1 }]);
    expect(await filesWith(NOTIFY_SECRET.slice(6), folder)).toEqual([]);
    const doctor = await dailies(['doctor'], { folder, env });
    expect(doctor.stdout).toContain('signed with 1 secret, to public addresses and 127.0.0.1');
  });
});

describe('dailies notify', () => {
  const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };

  /** A batch with an undelivered notice for each of these targets. */
  async function undelivered(...targets: readonly string[]): Promise<void> {
    const store = await openStore(join(folder, 'store'));
    const index = await store.putJson({ batch: 'rows', title: 'rows', content: 'rows', rows: 0, open: 0, pages: [] });
    const rules = { parallel: 1, stopAfterFailures: null };
    await store.batches.begin('rows', { run: 1, renderId: 'render-1', account: 'sandbox', index, at: AT, ...rules });
    const subject = { kind: 'batch', id: 'rows', renderId: 'render-1' } as const;
    await store.notices.putTarget(receiver.url);
    for (const [at, one] of targets.entries()) {
      const timestamp = `2026-01-01T00:00:0${at}.000Z`;
      const notice = { id: `msg_${at}`, type: 'batch.done', timestamp, data: {} } as const;
      await store.notices.note(
        { subject, notice, target: one },
        { state: 'undelivered', attempts: 1, reason: 'no answer' },
      );
    }
  }

  it('sends the notices after one whose record is damaged, and names that one', async () => {
    await undelivered(targetName(receiver.url), targetName(receiver.url));
    await truncate(join(folder, 'store', 'notices', 'batch', 'rows', 'msg_0.json'), 3);
    const { exitCode, stderr } = await dailies(['notify', 'rows'], { folder, env });
    expect(stderr).toContain('records cannot be read, so that they cannot be sent again: msg_0.');
    expect(receiver.told()).toMatchObject([{ id: 'msg_1' }]);
    expect(exitCode).toBe(1);
  });

  it('sends the notices after one whose address is not in the store, and refuses that one', async () => {
    await undelivered('f'.repeat(32), targetName(receiver.url));
    const { exitCode, stdout, stderr } = await dailies(['notify', 'rows'], { folder, env });
    expect(stderr).toContain('the address of the notice is not in this store: batch.done of 2026-01-01 00:00:00 UTC');
    expect(stdout).toMatch(/^Delivered: batch\.done of /m);
    expect(receiver.told()).toHaveLength(1);
    expect(exitCode).toBe(2);
  });
});
