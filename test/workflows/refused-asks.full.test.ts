import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { ifFound } from '../../client/temporal/live-status';
import { type Reservation, type ReservationNews } from '../../contracts/money/budget';
import { shotWorkflowId } from '../../contracts/identifiers';
import { reservationAnswerSignal } from '../../workflows/messages';
import { findTemporalCli } from '../../workers/temporal-cli';
import { film, pictureShot, type Rig, shotsBy, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

/** Temporal accepts ten thousand signals for a workflow. */
const MOST_SIGNALS = 2;

describe('a shot whose production accepts no more signals', () => {
  const before = process.env['PATH'];
  let rig: Rig;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    const cli = join(folder, 'temporal');
    const setting = `history.maximumSignalsPerExecution=${MOST_SIGNALS}`;
    await writeFile(
      cli,
      `#!/bin/sh\nexec '${findTemporalCli(process.env)?.path ?? ''}' "$@" --dynamic-config-value ${setting}\n`,
    );
    await chmod(cli, 0o755);
    process.env['PATH'] = [folder, before].join(delimiter);
    rig = await startRig({}, { prices: { 'pixel-image-1': { perTask: 3 } } });
  });
  afterAll(async () => {
    process.env['PATH'] = before;
    await rig.close();
  });

  it('asks for its budget more and more rarely, and continues as soon as it is answered', async () => {
    const production = film(
      'deaf',
      ['a', 'b', 'c', 'd'].map((id) => pictureShot(id)),
    );
    await rig.start(production, { assemble: false, shots: shotsBy({}, production), budget: { credits: 100 } });
    const shots = production.shots.map(({ id }) =>
      rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'deaf', id)),
    );
    for (const shot of shots) await until(() => ifFound(shot.describe()));
    const refused = await until(async () => {
      const pauses = await Promise.all(shots.map(pausesOf));
      const asking = shots.filter((_, index) => (pauses[index]?.length ?? 0) >= 2);
      return asking.length === shots.length - MOST_SIGNALS && asking;
    });
    for (const shot of refused) {
      expect(await pausesOf(shot)).toEqual([10, 20]);
      const { takeKey, sending } = await askedBy(shot);
      await shot.signal(reservationAnswerSignal, { takeKey, sending, waitsFor: null });
    }
    expect(await rig.client.ended('deaf')).toMatchObject({ state: 'completed' });
  });

  /** How long it waited between its tries, in seconds. */
  async function pausesOf(shot: WorkflowHandle): Promise<readonly number[]> {
    const { events } = await shot.fetchHistory();
    return (events ?? []).flatMap(({ timerStartedEventAttributes: one }) =>
      one == null ? [] : [Number(one.startToFireTimeout?.seconds)],
    );
  }

  async function askedBy(shot: WorkflowHandle): Promise<Reservation> {
    const { events } = await shot.fetchHistory();
    const [asked] = (events ?? []).flatMap(
      ({ signalExternalWorkflowExecutionInitiatedEventAttributes: one }) => one?.input?.payloads?.[0] ?? [],
    );
    const news = JSON.parse(Buffer.from(asked?.data ?? []).toString()) as ReservationNews;
    return news.reservation;
  }
});
