import { parseArgs } from 'node:util';
import { main, runAsProcess } from '../workers/main';
import { createFailPoints, type FailOrder, withFailPoints } from './fail-points';

/**
 * A worker as it runs in earnest, but for two things: it can be struck at a fail point, by an order that its parent
 * sends, and it gives a submit less time. The worker that people run has no such door.
 */

/** The noting of an answer takes this long at most, as in earnest. */
const NOTING_MS = 2_000;

const { values } = parseArgs({ options: { 'submit-limit-ms': { type: 'string', default: '4000' } } });
const submitTotalMs = Number(values['submit-limit-ms']);

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
    store: (store) => withFailPoints(store, points, submitTotalMs + NOTING_MS),
    timeouts: { paidTotalMs: submitTotalMs },
  }),
);
