import { z } from 'zod';
import { AssetRef, Sha256 } from '../../contracts/asset';
import { numbersOf, type Records, SCHEDULES } from '../../store';
import { OVERLAPS } from './timing';

const FrozenFile = z.looseObject({ name: z.string(), sha256: Sha256, sizeBytes: z.int() });

/** What a schedule was frozen from. */
const Frozen = z.looseObject({
  template: AssetRef,
  /** Absolute path of the file. */
  file: z.string(),
  /** The file's own text. */
  source: AssetRef,
  /** What the file names. */
  files: z.array(FrozenFile),
  /** ISO 8601. */
  frozenAt: z.string(),
});
export type Frozen = z.infer<typeof Frozen>;

const Timing = z.object({
  cron: z.string().nullable(),
  every: z.string().nullable(),
  timezone: z.string(),
  overlap: z.enum(OVERLAPS),
  catchUp: z.string().nullable(),
  jitter: z.string().nullable(),
  pauseOnFailure: z.boolean(),
});

/** A schedule as it was made or updated; `deleted` ends it. */
const Version = z.looseObject({
  account: z.string(),
  timing: Timing,
  frozen: Frozen,
  at: z.string(),
  deleted: z.boolean().default(false),
});
export type Version = z.infer<typeof Version>;

export interface NumberedVersion extends Version {
  readonly number: number;
}

/** What the store knows of schedules beside their runs. Nothing is removed. */
export interface ScheduleRecords {
  /** Those that were not deleted, in no order. */
  names(): Promise<readonly string[]>;
  /** The newest, also of a schedule that was deleted. */
  last(name: string): Promise<NumberedVersion | undefined>;
  append(name: string, version: Version): Promise<void>;
}

export function createScheduleRecords(records: Records): ScheduleRecords {
  const keyOf = (name: string, n: number): string => `${SCHEDULES}/${name}/version-${n}`;
  async function lastNumber(name: string): Promise<number> {
    return numbersOf(await records.list(`${SCHEDULES}/${name}`), 'version').at(-1) ?? 0;
  }
  async function last(name: string): Promise<NumberedVersion | undefined> {
    const number = await lastNumber(name);
    return number === 0 ? undefined : { ...Version.parse(await records.read(keyOf(name, number))), number };
  }
  return {
    last,
    async names() {
      const all = await records.list(SCHEDULES);
      const known = await Promise.all(all.map(async (name) => ((await last(name))?.deleted === false ? [name] : [])));
      return known.flat();
    },
    async append(name, version) {
      for (;;) if (await records.create(keyOf(name, (await lastNumber(name)) + 1), version)) return;
    },
  };
}
