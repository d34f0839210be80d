import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type BeginRunInput } from '../../../contracts/render/scheduled-run';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { planOf } from '../../support/rig';
import { type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';
import { recordsOf, withRecords } from '../../support/store-records';

describe('the beginning of a scheduled time', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let input: BeginRunInput;

  beforeEach(async () => {
    gateway = await startScriptedGateway();
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    const production = oneShotFilm();
    const template = await bench.store.putJson({
      version: 1,
      kind: 'production',
      production,
      plan: planOf(production),
    });
    input = { schedule: 'night', template, timezone: 'UTC', scheduledAt: '2020-01-09T00:00:00Z', by: 'schedule' };
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const begin = (changes: Partial<BeginRunInput> = {}, through = bench.store) =>
    bench.run(bench.activities('account', through).schedules.beginRun, { ...input, ...changes });

  it('fails for good if the worker cannot read its definition', async () => {
    await expect(begin({ timezone: 'Mars/Olympus' })).rejects.toMatchObject({
      type: 'RunRefused',
      nonRetryable: true,
      message: expect.stringContaining('Mars/Olympus') as string,
    });
    await recordsOf(bench.store).create('schedules/night/runs/night-20200110T000000Z', { kind: 'of tomorrow' });
    await expect(begin({ scheduledAt: '2020-01-10T00:00:00Z' })).rejects.toMatchObject({ type: 'RunRefused' });
    expect(await begin({ scheduledAt: '2020-01-11T00:00:00Z' })).toMatchObject({ state: 'begun' });
    await truncate(join(bench.store.folder, 'schedules/night/runs/night-20200110T000000Z.json'), 3);
    await expect(begin({ scheduledAt: '2020-01-10T00:00:00Z' })).rejects.toMatchObject({ type: 'RunRefused' });
  });

  it('is retried if the disk fails', async () => {
    const list = (): Promise<never> => Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    await expect(begin({}, withRecords(bench.store, { list }))).rejects.toMatchObject({
      type: 'LedgerUnavailable',
      nonRetryable: false,
    });
    expect(await begin()).toMatchObject({ state: 'begun', productionId: 'night-20200109T000000Z' });
  });
});
