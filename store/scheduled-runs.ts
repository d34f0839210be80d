import { z } from 'zod';
import { AssetRef } from '../contracts/asset';
import { BATCHES } from './batches';
import { numbersOf, type Records } from './records';

/** Folder of schedules' templates and of the runs that they have begun. */
export const SCHEDULES = 'schedules';

/** What a schedule's run is. Written once, by the first attempt to begin it; later attempts use this record. */
const COMMON = {
  schedule: z.string(),
  productionId: z.string(),
  /** ISO 8601. */
  scheduledAt: z.string(),
  by: z.enum(['schedule', 'hand']),
  /** Counts from 1 within the schedule, in the order in which runs begin. */
  number: z.int().positive(),
  account: z.string(),
  /** The template that the run was filled from. */
  template: AssetRef,
  at: z.string(),
};
const ScheduledRun = z.union([
  /** Rows in pages, as in any batch. `productionId` is the batch's id. */
  z.object({ kind: z.literal('batch'), ...COMMON, index: AssetRef }),
  /** The production, and its plan from the file. */
  z.object({ kind: z.literal('production').default('production'), ...COMMON, production: AssetRef, plan: AssetRef }),
]);
export type ScheduledRun = z.infer<typeof ScheduledRun>;

const RunMark = z.looseObject({ schedule: z.string() });
const TakenNumber = z.looseObject({ productionId: z.string() });

/** The run that made a production or batch; undefined if no schedule began it. */
export async function runOf(records: Records, productionId: string): Promise<ScheduledRun | undefined> {
  const schedule = await scheduleOf(records, productionId);
  return schedule === undefined ? undefined : scheduledRun(records, schedule, productionId);
}

/** The schedule that claimed an id for a run, which may not have begun; undefined if none did. */
export async function scheduleOf(records: Records, productionId: string): Promise<string | undefined> {
  const mark = await records.read(markKey(productionId));
  return mark === undefined ? undefined : RunMark.parse(mark).schedule;
}

export async function scheduledRun(
  records: Records,
  schedule: string,
  productionId: string,
): Promise<ScheduledRun | undefined> {
  const record = await records.read(`${runsFolder(schedule)}/${productionId}`);
  return record === undefined ? undefined : ScheduledRun.parse(record);
}

/** Ids of the productions and batches that a schedule has begun, in no order. */
export function runIds(records: Records, schedule: string): Promise<readonly string[]> {
  return records.list(runsFolder(schedule));
}

/** Claims an id for a run. True also if it was claimed for this schedule before; false if something else has it. */
export async function claimRunId(records: Records, schedule: string, productionId: string): Promise<boolean> {
  const claimedBy = await scheduleOf(records, productionId);
  if (claimedBy !== undefined) return claimedBy === schedule;
  const others = [
    ...(await records.list(`productions/${productionId}`)),
    ...(await records.list(`ledger/${productionId}`)),
    ...(await records.list(`${BATCHES}/${productionId}`)),
  ];
  if (others.length > 0) return claimedMeanwhile(records, schedule, productionId);
  return (
    (await records.create(markKey(productionId), { schedule })) || claimedMeanwhile(records, schedule, productionId)
  );
}

/** Records what a run is. @returns the record in force, which another attempt may have written. */
export async function settleRun(records: Records, run: ScheduledRun): Promise<ScheduledRun> {
  const { schedule, productionId } = run;
  if (await records.create(`${runsFolder(schedule)}/${productionId}`, run)) return run;
  return (await scheduledRun(records, schedule, productionId)) ?? run;
}

/**
 * The number of a run that has no record yet: the one that an earlier attempt took for it, else the next free one.
 *
 * Numbers are taken in sequence. If there are as many run records as numbers, every number is used. Otherwise numbers
 * without a run record are searched.
 */
export async function numberRun(records: Records, schedule: string, productionId: string): Promise<number> {
  const folder = `${SCHEDULES}/${schedule}/numbers`;
  for (;;) {
    const last = numbersOf(await records.list(folder), 'number').at(-1) ?? 0;
    const noted = new Set(await runIds(records, schedule));
    for (let n = last, open = last - noted.size; n > 0 && open > 0; n -= 1) {
      const taken = TakenNumber.parse(await records.read(`${folder}/number-${n}`));
      if (taken.productionId === productionId) return n;
      if (!noted.has(taken.productionId)) open -= 1;
    }
    if (await records.create(`${folder}/number-${last + 1}`, { productionId })) return last + 1;
  }
}

/** The same run may have been claimed elsewhere after the search for other uses of the id. */
async function claimedMeanwhile(records: Records, schedule: string, productionId: string): Promise<boolean> {
  return (await scheduleOf(records, productionId)) === schedule;
}

function runsFolder(schedule: string): string {
  return `${SCHEDULES}/${schedule}/runs`;
}

function markKey(productionId: string): string {
  return `productions/${productionId}/schedule`;
}
