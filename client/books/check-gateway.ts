import { type FrozenModel } from '../../contracts/render/frozen';
import { creditsInWords } from './check-histories';
import { placeOf, taskIds } from './check-ledger';
import { type Difference, difference } from './difference';
import { type BookedTake } from '../records/booked-takes';
import { isOwnTaskId } from '../../store';

/** Reads a task at the gateway; undefined if the read fails, for example because the gateway does not know the task. */
export type ReadTask = (
  taskId: string,
  model: FrozenModel,
) => Promise<{ readonly state: 'pending' | 'completed' | 'failed'; readonly credits: number | null } | undefined>;

/** Maximum number of concurrent reads. Low, because an audit is not urgent and the gateway serves other work. */
const READS_AT_ONCE = 4;

export interface GatewayCheck {
  readonly differences: readonly Difference[];
  readonly asked: number;
  readonly unanswered: number;
}

/** Reads every task at the gateway, at no cost. Compares state and charge if the ledger has the task's end. */
export async function checkGateway(takes: readonly BookedTake[], readTask: ReadTask): Promise<GatewayCheck> {
  const tasks = takes.flatMap((booked) =>
    [...taskIds(booked.history)]
      // The gateway does not know an id that Dailies made because an answer lacked the id.
      .filter((taskId) => !isOwnTaskId(booked.history.intent.takeKey, taskId))
      .map((taskId) => ({ booked, taskId })),
  );
  const queue = tasks.values();
  const differences: Difference[] = [];
  let unanswered = 0;

  async function readFromQueue(): Promise<void> {
    for (const { booked, taskId } of queue) {
      const answer = await readTask(taskId, booked.history.intent.model);
      if (answer === undefined) unanswered += 1;
      else differences.push(...compare(booked, taskId, answer));
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readFromQueue));
  return { differences, asked: tasks.length, unanswered };
}

function compare(
  booked: BookedTake,
  taskId: string,
  { state, credits }: NonNullable<Awaited<ReturnType<ReadTask>>>,
): readonly Difference[] {
  const { settled } = booked.history;
  if (settled?.taskId !== taskId) return [];
  if (settled.state !== state) {
    const what = `task ${taskId}: ${settled.state} in the ledger, ${state} at the gateway`;
    return [difference('state-differs', placeOf(booked), what, null)];
  }
  if (credits === null || settled.credits === credits) return [];
  const what = `task ${taskId}: ${creditsInWords(settled.credits)} in the ledger, ${creditsInWords(credits)} at the gateway`;
  return [difference('charge-differs', placeOf(booked), what, null)];
}
