import type { TakeProgress } from '../contracts/take';
import type { ShotInput, TakeOutcome } from '../contracts/workflows';
import type { DecisionDesk } from './decision-desk';
import type { Permits } from './permits';
import { runTake } from './run-take';
import type { ShotReport } from './shot-report';

/** A shot's takes, all under way at once. Neither promise is ever rejected by a cancellation: each take ends by itself. */
export interface Takes {
  /** The first that completes; null where all have ended and none has. */
  readonly first: Promise<TakeProgress | null>;
  readonly ended: Promise<readonly TakeOutcome[]>;
}

/**
 * Starts the takes of a shot, each with its own further takes and decisions.
 *
 * @param isSpare whether the shot goes on without those that are open still.
 */
export function startTakes(
  input: ShotInput,
  { desk, permits, report }: { desk: DecisionDesk; permits: Permits; report: ShotReport },
  isSpare: () => boolean,
): Takes {
  const runs = Array.from({ length: input.takes }, async (_, sibling) => {
    const listener = report.listener(sibling);
    const surroundings = { desk, permits, listener, isSpare };
    const outcome = await runTake({ ...input, task: { ...input.task, sibling } }, surroundings);
    report.takeEnded(sibling, outcome);
    return outcome;
  });
  const ended = Promise.all(runs);
  const first = new Promise<TakeProgress | null>((resolve, reject) => {
    for (const run of runs) void run.then(({ state, take }) => state === 'completed' && resolve(take), reject);
    void ended.then(() => resolve(null), reject);
  });
  return { first, ended };
}
