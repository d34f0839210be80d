import { modesBelow } from '../../store/modes';
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

process.once('message', (message) => {
  const plan = message as SetPlan;
  superviseInPrivate(plan).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
});

/** What the set's programs write, as Temporal's database, is for those who may read the store. */
async function superviseInPrivate(plan: SetPlan): Promise<void> {
  const { folder } = await modesBelow(plan.files.store);
  process.umask(0o777 & ~folder);
  await supervise(plan, { starterGone, terminated });
}
