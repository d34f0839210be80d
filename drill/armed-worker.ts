import { main, runAsProcess } from '../workers/main';
import { stepClock } from './clock';
import { createFailPoints, withFailPoints } from './fail-points';
import { type WorkerOrder } from './worker-process';

/**
 * A worker as people run it, with three differences: its parent can have it struck at a fail point, its parent can move
 * its clock, and it gives a submit less time.
 */

/** The noting of an answer takes this long at most, as in earnest. */
const NOTING_MS = 2_000;

/** Who has to learn that an answer will not come waits for this; longer than a busy machine stands still. */
const SUBMIT_TOTAL_MS = 8_000;

const points = createFailPoints(
  (order) =>
    new Promise((resolve) => {
      if (process.send === undefined) resolve();
      else
        process.send({ reached: order }, () => {
          resolve();
        });
    }),
);
process.on('message', (order: WorkerOrder) => {
  if ('clockStepMs' in order) stepClock(order.clockStepMs);
  else points.arm(order);
});

runAsProcess(() =>
  main(undefined, {
    store: (store) => withFailPoints(store, points, SUBMIT_TOTAL_MS + NOTING_MS),
    timeouts: { paidTotalMs: SUBMIT_TOTAL_MS },
  }),
);
