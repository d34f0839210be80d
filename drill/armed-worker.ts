import { main, runAsProcess } from '../workers/main';
import { createFailPoints, type FailOrder, withFailPoints } from './fail-points';

/**
 * A worker as it runs in earnest, but for two things: it can be struck at a fail point, by an order that its parent
 * sends, and it gives a submit less time. The worker that people run has no such door.
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
process.on('message', (order) => {
  points.arm(order as FailOrder);
});

runAsProcess(() =>
  main(undefined, {
    store: (store) => withFailPoints(store, points, SUBMIT_TOTAL_MS + NOTING_MS),
    timeouts: { paidTotalMs: SUBMIT_TOTAL_MS },
  }),
);
