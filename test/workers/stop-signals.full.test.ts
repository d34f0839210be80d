import { until } from '../support/until';
import { hasEnded, rig, signal, withSubmitInFlight, worker } from './stopped-worker';

/** How long a submit is on the wire, accepted and not yet answered: three signals fit into it on a busy machine. */
const LATE_ANSWER_SECONDS = 30;

const unclearOf = async (id: string) =>
  (await rig.store.ledger.takes(id, 'dawn')).flatMap(({ sendings }) => sendings.map(({ unclear }) => unclear));

describe('a worker that is asked to end while a submit is in flight', () => {
  it('ends at the third signal, and says what it leaves unclear', async () => {
    await withSubmitInFlight('thrice', LATE_ANSWER_SECONDS);
    await signal('SIGTERM', 'asked to end');
    await signal('SIGTERM', 'SIGTERM again');
    worker.process.kill('SIGTERM');
    await until(hasEnded);
    expect(worker.process.exitCode).toBe(130);
    expect(worker.output()).toContain('Left unclear: take 1 of thrice/dawn');
    expect(await unclearOf('thrice')).toEqual([undefined]);
  });
});
