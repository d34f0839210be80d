import { modesBelow } from '../../store/disk/modes';
import type { SetPlan } from './set-plan';
import { supervise } from './supervisor';

/**
 * The supervisor's process. A command starts it detached, sends it the plan as a message, and attaches to the embedded
 * set as any other command does. The command closes the IPC channel once it is attached, or if it gives up.
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
  superviseWithUmask(plan).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
});

/** Files of the set's programs, such as Temporal's database, get the mode of new files in the store. */
async function superviseWithUmask(plan: SetPlan): Promise<void> {
  const { folder } = await modesBelow(plan.files.store);
  process.umask(0o777 & ~folder);
  await supervise(plan, { starterGone, terminated });
}
