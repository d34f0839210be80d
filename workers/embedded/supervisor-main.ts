import type { SetPlan } from './set-plan';
import { supervise } from './supervisor';

/**
 * The supervisor's process. A command starts it, detached, hands it the plan by message, and lets go of it once it is
 * attached like any other.
 */

const terminated = new Promise<string>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve(`The embedded set was ended by ${signal}.`);
    });
  }
});

const starterGone = new Promise<void>((resolve) => process.once('disconnect', resolve));

process.once('message', (plan) => {
  supervise(plan as SetPlan, { starterGone, terminated }).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
});
