import { main, runAsProcess } from '../workers/main';
import { stepClock } from './clock';
import { createFailPoints, withFailPoints } from './fail-points';
import { type WorkerOrder } from './worker-process';

/**
 * A worker as in production, with two differences:
 *
 * - The parent process can kill or stop the worker at a fail point, and can move the worker's clock.
 * - The time limit of a submit, and the pause after an execute call that timed out, are shorter.
 */

/** Time to record an answer. Shorter than in production (`NOTING_MS` in activities/pay/send-task.ts). */
const RECORDING_MS = 2_000;

/** Time limit of a submit. Shorter than in production, but longer than the stalls of a busy machine. */
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
    store: (store) => withFailPoints(store, points, SUBMIT_TOTAL_MS + RECORDING_MS),
    timeouts: { paidTotalMs: SUBMIT_TOTAL_MS },
  }),
);
