import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { BATCHES } from './batches';
import { PRODUCTIONS } from '../production/productions';
import { numbersOf, type Records } from '../records';
import { SCHEDULES } from './schedules';
import { LEDGER } from '../ledger/take-address';

/** The record of a schedule's run. The first attempt to begin the run writes the record; later attempts use it. */
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
  /** `index` lists the pages of rows. `productionId` is the batch's id. */
  z.object({ kind: z.literal('batch'), ...COMMON, index: AssetRef }),
  /** The frozen production and its plan, both filled from the template. */
  z.object({ kind: z.literal('production').default('production'), ...COMMON, production: AssetRef, plan: AssetRef }),
]);
export type ScheduledRun = z.infer<typeof ScheduledRun>;

const RunMark = z.looseObject({ schedule: z.string() });
const TakenNumber = z.looseObject({ productionId: z.string() });

/** The runs of schedules. Each run creates a production or batch with the run's id. */
export interface ScheduledRuns {
  /** The run that created a production or batch; undefined if no run did. */
  byId(id: string): Promise<ScheduledRun | undefined>;
  /** The schedule that has claimed an id; undefined if none has. The run may not have begun yet. */
  scheduleOf(id: string): Promise<string | undefined>;
  /** The record of a run; undefined if the run has not begun. */
  run(schedule: string, id: string): Promise<ScheduledRun | undefined>;
  /** Ids of the productions and batches that a schedule has begun, in no order. */
  ids(schedule: string): Promise<readonly string[]>;
  /** Claims an id for a run. True also if the schedule had claimed it before; false if anything else uses the id. */
  claim(schedule: string, id: string): Promise<boolean>;
  /**
   * Reserves a number for a run that has no record yet. Returns the number that an interrupted attempt has reserved
   * for this run, or else the next free number.
   */
  number(schedule: string, id: string): Promise<number>;
  /** Writes the record of a run. @returns the stored record, which another attempt may have written. */
  record(run: ScheduledRun): Promise<ScheduledRun>;
}

export function createScheduledRuns(records: Records): ScheduledRuns {
  async function scheduleOf(id: string): Promise<string | undefined> {
    const mark = await records.read(markKey(id));
    return mark === undefined ? undefined : RunMark.parse(mark).schedule;
  }
  async function run(schedule: string, id: string): Promise<ScheduledRun | undefined> {
    const record = await records.read(`${runsFolder(schedule)}/${id}`);
    return record === undefined ? undefined : ScheduledRun.parse(record);
  }
  const ids = (schedule: string): Promise<readonly string[]> => records.list(runsFolder(schedule));
  /** True if another attempt of the same run has claimed the id after `claim` found it unclaimed. */
  const isClaimedMeanwhile = async (schedule: string, id: string): Promise<boolean> =>
    (await scheduleOf(id)) === schedule;

  return {
    scheduleOf,
    run,
    ids,
    async byId(id) {
      const schedule = await scheduleOf(id);
      return schedule === undefined ? undefined : run(schedule, id);
    },
    async claim(schedule, id) {
      const claimedBy = await scheduleOf(id);
      if (claimedBy !== undefined) return claimedBy === schedule;
      const places = [PRODUCTIONS, LEDGER, BATCHES];
      const others = await Promise.all(places.map((place) => records.list(`${place}/${id}`)));
      if (others.flat().length > 0) return isClaimedMeanwhile(schedule, id);
      return (await records.create(markKey(id), { schedule })) || isClaimedMeanwhile(schedule, id);
    },
    async number(schedule, id) {
      const folder = `${SCHEDULES}/${schedule}/numbers`;
      for (;;) {
        const last = numbersOf(await records.list(folder), 'number').at(-1) ?? 0;
        const recorded = new Set(await ids(schedule));
        for (let n = last, unrecorded = last - recorded.size; n > 0 && unrecorded > 0; n -= 1) {
          const taken = TakenNumber.parse(await records.read(`${folder}/number-${n}`));
          if (taken.productionId === id) return n;
          if (!recorded.has(taken.productionId)) unrecorded -= 1;
        }
        if (await records.create(`${folder}/number-${last + 1}`, { productionId: id })) return last + 1;
      }
    },
    async record(begun) {
      const { schedule, productionId } = begun;
      if (await records.create(`${runsFolder(schedule)}/${productionId}`, begun)) return begun;
      return (await run(schedule, productionId)) ?? begun;
    },
  };
}

function runsFolder(schedule: string): string {
  return `${SCHEDULES}/${schedule}/runs`;
}

function markKey(id: string): string {
  return `${PRODUCTIONS}/${id}/schedule`;
}
