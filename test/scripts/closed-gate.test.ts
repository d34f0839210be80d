import { join } from 'node:path';
import { withLocalTimes } from '../../client/wording/local-times';
import { openStore } from '../../store';
import { oneShotFilm } from '../support/activity-bench';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';
import { recordsOf } from '../support/store-records';

it('dailies status says since when and why submits wait, and when they continue', async () => {
  const folder = await temporaryFolder();
  const store = await openStore(join(folder, 'store'));
  const [since, tryAt, tryAnywayAt] = [
    '2026-01-01T10:00:00.000Z',
    '2026-01-01T10:00:02.000Z',
    '2026-01-01T10:10:00.000Z',
  ];
  await recordsOf(store).replace('productions/film/render', {
    renderId: 'render-1',
    production: await store.putJson(oneShotFilm()),
    account: 'sandbox',
    at: since,
  });
  const { gate } = store.account('sandbox');
  await gate.close({ for: 'unclear', reason: 'POST /submit answered 500', since, failures: 1, tryAt, tryAnywayAt });

  const { exitCode, stderr } = await dailies(['status', 'film'], { folder });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`Submits of this account wait since ${withLocalTimes(since)}: POST /submit answered 500.`);
  expect(stderr).toContain(`One of them is sent from ${withLocalTimes(tryAt)} on`);
  expect(stderr).toContain(`at the latest at ${withLocalTimes(tryAnywayAt)}`);

  await gate.open(1);
  expect((await dailies(['status', 'film'], { folder })).stderr).not.toContain('Submits of this account');

  const model = { id: 'quill-text-1' };
  await store
    .account('sandbox')
    .modelGate(model)
    .close({
      ...{ for: 'unclear', reason: 'POST /submit answered 500', since, failures: 1, tryAt, tryAnywayAt },
      only: { model, mode: 'submit' },
    });
  expect((await dailies(['status', 'film'], { folder })).stderr).toContain(
    `Submits of quill-text-1 wait since ${withLocalTimes(since)}`,
  );
});
