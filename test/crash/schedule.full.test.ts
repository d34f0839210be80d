import { setStage, type Stage } from '../../drill/stage';
import {
  betweenTimes,
  expectAcceptedOnce,
  madeAt,
  runsOf,
  template,
  timesBetween,
  untilCounted,
  untilEnded,
} from '../support/scheduled';
import { stopBetweenSubmits } from '../support/stop-between-submits';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const STEP_MS = 2_000;

/** Longer than the catch-up window, so some times that become due meanwhile are missed. */
const AWAY_MS = 16_000;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage(await temporaryFolder(), { renderSeconds: 1, ...PLAIN });
});

afterAll(() => stage.close());

describe('a schedule under fire', () => {
  it('pays for each time once, and accounts for all, despite a killed worker and a stopped Temporal server', async () => {
    const { store, client, sandbox } = stage;
    const { schedules } = client;
    let worker = await stage.startWorker();
    await schedules.create('fire', { every: '2s', catchUp: '10s', template: await template() });
    const begins = await madeAt(stage, 'fire');
    await until(() => sandbox.tasks().length >= 2);

    await stopBetweenSubmits((signal) => worker.signal(signal), store);
    worker.signal('SIGKILL');
    await worker.ended;
    worker = await stage.startWorker();
    await untilEnded(store, 'fire', 3);

    await stage.killTemporal(AWAY_MS);
    await untilEnded(store, 'fire', (await runsOf(store, 'fire')).length + 1);
    const ends = await betweenTimes(STEP_MS, () => schedules.pause('fire'));
    await untilCounted({ client }, 'fire', ({ missed }) => missed > 0);
    await until(async () => (await schedules.show('fire')).underWay.length === 0);
    await untilEnded(store, 'fire');

    const { counts } = await schedules.show('fire');
    const due = timesBetween(STEP_MS, begins, ends);
    const started = (await runsOf(store, 'fire')).length;
    const accounted = started + (counts?.skipped ?? 0) + (counts?.missed ?? 0);
    expect(accounted).toBeGreaterThanOrEqual(due.least);
    expect(accounted).toBeLessThanOrEqual(due.most);
    await expectAcceptedOnce({ store, sandbox }, 'fire');
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
  });
});
