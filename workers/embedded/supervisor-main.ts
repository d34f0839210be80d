import type { SetPlan } from './set-plan';
import { supervise } from './supervisor';

/** The supervisor's process. A command starts it, detached, hands it the plan by message and lets go of it. */

const terminated = new Promise<string>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve(`The embedded set was ended by ${signal}.`);
    });
  }
});

process.once('disconnect', () => process.exit(1));
process.once('message', (plan) => {
  process.removeAllListeners('disconnect');
  supervise(plan as SetPlan, terminated).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
});
