import { z } from 'zod';
import { AssetRef, Sha256 } from '../../contracts/asset';
import { numbersOf, type Records } from '../records';

/** Folder of the versions and runs of schedules. */
export const SCHEDULES = 'schedules';

/** Temporal's overlap policies except TERMINATE_OTHER. They apply if a run is due while an earlier one is under way. */
export const OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'cancel-other', 'allow-all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

const FrozenFile = z.looseObject({ name: z.string(), sha256: Sha256, sizeBytes: z.int() });

/** The frozen content of a schedule. */
const FrozenSchedule = z.looseObject({
  template: AssetRef,
  /** Absolute path of the file; empty if there is none. */
  file: z.string(),
  /** True if a program gave the production or batch as an object. */
  given: z.boolean().exactOptional(),
  /** The text of the file, or the JSON of the object. For a batch from a program, the JSON of its rows follows. */
  source: AssetRef,
  /** The files that the template names, and a batch's table. */
  files: z.array(FrozenFile),
  /** ISO 8601. */
  frozenAt: z.string(),
});
export type FrozenSchedule = z.infer<typeof FrozenSchedule>;

const Timing = z.object({
  cron: z.string().nullable(),
  every: z.string().nullable(),
  timezone: z.string(),
  overlap: z.enum(OVERLAPS),
  catchUp: z.string().nullable(),
  jitter: z.string().nullable(),
  pauseOnFailure: z.boolean(),
});

/** A version of a schedule. One with `deleted` ends the schedule. Temporal's schedule names the version in force. */
const Version = z.looseObject({
  account: z.string(),
  timing: Timing,
  frozen: FrozenSchedule,
  at: z.string(),
  /** Absolute path of a folder in which each run gets a subfolder. Absent if none was named. */
  out: z.string().optional(),
  deleted: z.boolean().default(false),
});
export type Version = z.infer<typeof Version>;

export interface NumberedVersion extends Version {
  readonly number: number;
}

/** The versions of schedules. They are never removed. */
export interface Schedules {
  /** Names of the schedules that are not deleted, in no order. */
  names(): Promise<readonly string[]>;
  /** Names of all schedules, including deleted ones, in no order. */
  allNames(): Promise<readonly string[]>;
  /** The newest version, also of a deleted schedule. */
  last(name: string): Promise<NumberedVersion | undefined>;
  version(name: string, number: number): Promise<NumberedVersion | undefined>;
  /** Records a version. Call this before Temporal gets the version. @returns its number. */
  append(name: string, version: Version): Promise<number>;
  /** Records that Temporal has accepted a version. Earlier versions are no longer in force. */
  noteAccepted(name: string, number: number): Promise<void>;
  /** Versions that may be in force: the last recorded as accepted, if any, and all later ones. */
  open(name: string): Promise<readonly NumberedVersion[]>;
}

export function createSchedules(records: Records): Schedules {
  const allNames = (): Promise<readonly string[]> => records.list(SCHEDULES);
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
    allNames,
    async names() {
      const names = await Promise.all(
        (await allNames()).map(async (name) => ((await last(name))?.deleted === false ? [name] : [])),
      );
      return names.flat();
    },
    async append(name, newVersion) {
      for (;;) {
        const number = ((await numbers(name, 'version')).at(-1) ?? 0) + 1;
        if (await records.create(keyOf(name, number), newVersion)) return number;
      }
    },
    async noteAccepted(name, number) {
      await records.create(`${folderOf(name)}/taken-${number}`, { at: new Date().toISOString() });
    },
    async open(name) {
      const taken = (await numbers(name, 'taken')).at(-1) ?? 0;
      const since = (await numbers(name, 'version')).filter((number) => number >= taken);
      return (await Promise.all(since.map((number) => version(name, number)))).filter((one) => one !== undefined);
    },
  };
}
