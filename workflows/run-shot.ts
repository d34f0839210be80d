import { isCancellation } from '@temporalio/workflow';
import type { TakeProgress } from '../contracts/take';
import type { Parked, ShotInput, ShotOutcome } from '../contracts/workflows';
import { decisionActivities } from './activity-options';
import type { DecisionDesk } from './decision-desk';
import { isContentRefusal } from './failed-task';
import { type ParkedRun, runTask, type TaskRun } from './run-task';

/**
 * When the ledger is asked again about an unclear take that nobody has decided on: a sender that stood still, or could
 * not write, may note its answer late, and then the shot goes on by itself.
 */
const LATE_ANSWERS = ['2 minutes', '60 minutes'] as const;

/** Told what becomes of a shot on the way. */
export interface ShotListener {
  accepted(take: TakeProgress): void;
  parked(parked: Parked): void;
  /** Goes on after it was parked. */
  resumed(take: TakeProgress): void;
}

/**
 * Takes a shot to its end: a take, further takes where the production's file allows them, and where none is allowed,
 * a person's decision.
 *
 * Nothing is paid for twice here without a record: a further take has a higher `attempt`, and whatever a person decides
 * is in the ledger, where the next run of the task finds it.
 */
export async function runShot(input: ShotInput, desk: DecisionDesk, listener: ShotListener): Promise<ShotOutcome> {
  let { attempt } = input.task;
  let furtherTakes = input.retryFailed;
  let looks = LATE_ANSWERS.values();
  const run = (): Promise<TaskRun> =>
    runTask({ ...input, task: { ...input.task, attempt } }, (take) => {
      listener.accepted(take);
    });

  for (;;) {
    const ran = await run();
    if (ran.state !== 'parked') return ended(ran);

    if (ran.parked.for === 'failed' && furtherTakes > 0 && !isContentRefusal(ran.parked.reason)) {
      furtherTakes -= 1;
      attempt += 1;
      continue;
    }
    if (ran.parked.for === 'unclear' && input.onUnclear === 'resubmit' && (await mayResubmit(ran))) continue;

    try {
      listener.parked(ran.parked);
      const limit = ran.parked.for === 'unclear' ? looks.next().value : undefined;
      const answer = await desk.waitFor(ran, limit);
      if (answer === 'none') continue;
      looks = LATE_ANSWERS.values();
      if (answer === 'skip') return { ...NOTHING, state: 'skipped', reason: `skipped: ${ran.parked.reason}` };
      listener.resumed(ran.parked.take);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { ...NOTHING, state: 'cancelled', reason: `was parked: ${ran.parked.reason}`, take: ran.parked.take };
    }
  }
}

const NOTHING = { reason: null, take: null, output: null };

/** The file's policy sends an unclear take again, at most once; the ledger refuses a second time. */
async function mayResubmit({ parked, ref, decisions }: ParkedRun): Promise<boolean> {
  const input = {
    take: ref,
    seen: decisions,
    parkedFor: parked.for,
    decision: { kind: 'resubmit' },
    by: 'policy',
    output: null,
  } as const;
  const noted = await decisionActivities('policy').decide(input);
  return noted.recorded || noted.isOutdated;
}

function ended(ran: Exclude<TaskRun, ParkedRun>): ShotOutcome {
  switch (ran.state) {
    case 'completed':
      return { ...NOTHING, state: 'completed', take: ran.take, output: ran.output };
    case 'failed':
      return { ...NOTHING, state: 'failed', reason: ran.reason, take: ran.take };
    case 'skipped':
      return { ...NOTHING, state: 'skipped', reason: ran.reason };
    case 'cancelled':
      return { ...NOTHING, state: 'cancelled' };
  }
}
