import { until } from '../support/until';
import { hasEnded, rig, signal, withSubmitInFlight, worker } from './stopped-worker';

/** How long a submit is on the wire, accepted and not yet answered. */
const LATE_ANSWER_SECONDS = 8;

describe('a worker that is asked to end while a submit is in flight', () => {
  it('says at the second signal what it waits for, and records the answer', async () => {
    await withSubmitInFlight('twice', LATE_ANSWER_SECONDS);
    await signal('SIGHUP', 'asked to end by SIGHUP');
    await signal('SIGTERM', 'SIGTERM again: ending already, at the latest at ');
    expect(worker.output()).toMatch(
      /ending already, at the latest at \S+; waits for submits in flight: take 1 of twice/,
    );
    await until(hasEnded);
    expect(worker.process.exitCode).toBe(0);
    const [take] = await rig.store.ledger.takes('twice', 'dawn');
    expect(take?.sendings).toMatchObject([{ accepted: { taskId: rig.sandbox.tasks()[0]?.id } }]);
  });
});
