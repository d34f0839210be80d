import { z } from 'zod';
import { AssetRef, Sha256 } from '../../contracts/asset';
import { numbersOf, type Records, SCHEDULES } from '../../store';

/** What happens at a time while an earlier run is still in progress. */
export const OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'cancel-other', 'allow-all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

const FrozenFile = z.looseObject({ name: z.string(), sha256: Sha256, sizeBytes: z.int() });

/** The frozen content of a schedule. */
const Frozen = z.looseObject({
  template: AssetRef,
  /** Absolute path of the file; empty if there is none. */
  file: z.string(),
  /** True if a program gave the production or batch as an object, and so there is no file. */
  given: z.boolean().exactOptional(),
  /** The text of the file; of an object as JSON, of a batch its rows after it. */
  source: AssetRef,
  /** The files that it names. */
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

/** A version of a schedule; `deleted` ends the schedule. The action in Temporal shows which version is in force. */
const Version = z.looseObject({
  account: z.string(),
  timing: Timing,
  frozen: Frozen,
  at: z.string(),
  /** Absolute path of the folder for its runs, each in a subfolder of its own. Absent if none was named. */
  out: z.string().optional(),
  deleted: z.boolean().default(false),
});
export type Version = z.infer<typeof Version>;

export interface NumberedVersion extends Version {
  readonly number: number;
}

/** The store's records of schedules, apart from their runs. Nothing is removed. */
export interface ScheduleRecords {
  /** Schedules that are not deleted, in no order. */
  names(): Promise<readonly string[]>;
  /** The newest version, also of a deleted schedule. */
  last(name: string): Promise<NumberedVersion | undefined>;
  version(name: string, number: number): Promise<NumberedVersion | undefined>;
  /** Records a version before Temporal has it. @returns its number. */
  append(name: string, version: Version): Promise<number>;
  /** Records that Temporal has accepted a version. Earlier ones are no longer in force. */
  noteTaken(name: string, number: number): Promise<void>;
  /** Versions that may be in force: the last accepted one, and later ones that may not have been accepted. */
  open(name: string): Promise<readonly NumberedVersion[]>;
}

export function createScheduleRecords(records: Records): ScheduleRecords {
  const folderOf = (name: string): string => `${SCHEDULES}/${name}`;
  const keyOf = (name: string, n: number): string => `${folderOf(name)}/version-${n}`;
  async function numbers(name: string, kind: 'version' | 'taken'): Promise<readonly number[]> {
    return numbersOf(await records.list(folderOf(name)), kind);
  }
  async function version(name: string, number: number): Promise<NumberedVersion | undefined> {
    const record = await records.read(keyOf(name, number));
    return record === undefined ? undefined : { ...Version.parse(record), number };
  }
  async function last(name: string): Promise<NumberedVersion | undefined> {
    const number = (await numbers(name, 'version')).at(-1);
    return number === undefined ? undefined : version(name, number);
  }
  return {
    last,
    version,
    async names() {
      const all = await records.list(SCHEDULES);
      const known = await Promise.all(all.map(async (name) => ((await last(name))?.deleted === false ? [name] : [])));
      return known.flat();
    },
    async append(name, made) {
      for (;;) {
        const number = ((await numbers(name, 'version')).at(-1) ?? 0) + 1;
        if (await records.create(keyOf(name, number), made)) return number;
      }
    },
    async noteTaken(name, number) {
      await records.create(`${folderOf(name)}/taken-${number}`, { at: new Date().toISOString() });
    },
    async open(name) {
      const taken = (await numbers(name, 'taken')).at(-1) ?? 0;
      const since = (await numbers(name, 'version')).filter((number) => number >= taken);
      return (await Promise.all(since.map((number) => version(name, number)))).filter((one) => one !== undefined);
    },
  };
}
