import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkTemplate } from '../../client/schedules';
import { scheduleId } from '../../contracts/identifiers';
import { type ScheduledRun, type FolderStore } from '../../store';
import { type Rig } from './rig';
import { temporaryFolder } from './temporary-folder';

/** A production whose prompt distinguishes its runs. A picture is made in a moment. */
export const PICTURE_FILE = `
title: Picture of {{date}}
models:
  pixel-image-1: { output: image }
shots:
  - id: a
    model: pixel-image-1
    prompt: "the lighthouse at {{scheduledAt}}, no. {{runNumber}}"
`;

const POLICY = { fileValues: 'auto', dataUriMaxBytes: 20_000_000 } as const;

/** Poll interval. The server has other work. */
const LOOK_EVERY_MS = 250;

/** Checks a file for a schedule. */
export async function template(text = PICTURE_FILE, extension = 'yaml'): ReturnType<typeof checkTemplate> {
  const file = join(await temporaryFolder(), `scheduled.${extension}`);
  await writeFile(file, text);
  return checkTemplate('any', file, POLICY);
}

/** The runs that a schedule has started, in the order of their times. */
export async function runsOf({ runs }: Pick<FolderStore, 'runs'>, schedule: string): Promise<readonly ScheduledRun[]> {
  const found = await Promise.all((await runs.ids(schedule)).map((id) => runs.run(schedule, id)));
  return found.filter((run) => run !== undefined).toSorted((a, b) => a.scheduledAt.localeCompare(b.scheduledAt));
}

/** The schedule's runs that have ended. */
export async function endedRuns(
  store: Pick<FolderStore, 'runs' | 'productions'>,
  schedule: string,
): Promise<readonly ScheduledRun[]> {
  const runs = await runsOf(store, schedule);
  const statuses = await Promise.all(runs.map(({ productionId }) => store.productions.archived(productionId)));
  return runs.filter((_run, index) => statuses[index] !== undefined);
}

/** Waits until this many runs have ended; by default all that have started. */
export async function untilEnded(store: FolderStore, schedule: string, count?: number): Promise<void> {
  while ((await endedRuns(store, schedule)).length < (count ?? (await runsOf(store, schedule)).length)) {
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits until the schedule's counts satisfy a condition. */
export async function untilCounted(
  { client }: Pick<Rig, 'client'>,
  schedule: string,
  isSo: (counts: { readonly started: number; readonly skipped: number; readonly missed: number }) => boolean,
): Promise<void> {
  for (;;) {
    const { counts } = await client.schedules.show(schedule);
    if (counts !== null && isSo(counts)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Expects that every run was accepted once, with its own time and number, and that numbers have no gap. */
export async function expectAcceptedOnce({ store, sandbox }: Pick<Rig, 'store' | 'sandbox'>, schedule: string) {
  const runs = await runsOf(store, schedule);
  const prompts = sandbox.tasks().map(({ parameters }) => String(parameters['prompt']));
  const wanted = runs.map(
    ({ scheduledAt, number }) => `the lighthouse at ${scheduledAt.replace('.000Z', 'Z')}, no. ${number}`,
  );
  expect(prompts.toSorted()).toEqual(wanted.toSorted());
  expect(runs.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(runs.map((_run, index) => index + 1));
}

/** The earliest and latest instant at which something may have happened. */
export interface Moment {
  readonly from: number;
  readonly to: number;
}

/**
 * Makes a change half a step after a due time, so that no run is due now. Returns when it happened, even if the machine
 * stalled.
 */
export async function betweenTimes(stepMs: number, change: () => Promise<unknown>): Promise<Moment> {
  await sleep(stepMs - ((Date.now() + stepMs / 2) % stepMs));
  const from = Date.now();
  await change();
  return { from, to: Date.now() };
}

/** When Temporal created a schedule. Its times are due from then on. */
export async function madeAt({ temporal, store }: Pick<Rig, 'temporal' | 'store'>, schedule: string): Promise<Moment> {
  const { info } = await temporal.client.schedule.getHandle(scheduleId(store.id, schedule)).describe();
  return { from: info.createdAt.getTime(), to: info.createdAt.getTime() };
}

/** The least and the most due times of a schedule between two moments. */
export function timesBetween(
  stepMs: number,
  begin: Moment,
  end: Moment,
): { readonly least: number; readonly most: number } {
  const times = (from: number, to: number): number => Math.floor(to / stepMs) - Math.floor(from / stepMs);
  return { least: times(begin.to, end.from), most: times(begin.from, end.to) };
}
