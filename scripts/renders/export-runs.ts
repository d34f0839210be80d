import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../../client/output/out-folder';
import { type EndedRun, runsToExport } from '../../client/schedules';
import { exportCommand } from '../../client/wording/commands';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { resultFiles } from './batch-to-end';
import { tell } from '../process/streams';
import { createOutFolders } from '../../client/records/out-folders';

/** Interval between two checks for ended runs. A check reads a few folders of the store, and nobody waits for it. */
const LOOK_EVERY_MS = 2_000;

/**
 * Number of checks after which all runs are checked again, because an export may have failed, or a run may have been
 * rendered again.
 */
const LOOK_AT_ALL_EVERY = 30;

/**
 * Exports the runs of schedules that have an out folder, as the runs end, until the signal aborts. Each failure is
 * printed once and retried.
 */
export async function exportRuns(config: Config, store: Store, signal: AbortSignal): Promise<void> {
  const settled = new Set<string>();
  const told = new Set<string>();
  const isLeaving = (): boolean => signal.aborted;
  const tellOnce = (words: string): void => {
    if (!told.has(words)) tell(words);
    told.add(words);
  };
  for (let look = 0; !isLeaving(); look += 1) {
    if (look % LOOK_AT_ALL_EVERY === 0) settled.clear();
    try {
      for (const run of await runsToExport(store, config.account, settled)) {
        if (isLeaving()) return;
        settled.add(run.id);
        await exportRun(config, store, run).catch((error: unknown) => {
          tellOnce(`"${run.id}" was not exported: ${reasonOf(error)}. To try at once: ${exportCommand(run.id)}`);
        });
      }
    } catch (error) {
      tellOnce(`Runs of schedules are not exported: ${reasonOf(error)}. To export one by hand: \`dailies export RUN\``);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function exportRun({ account, ffmpegPath }: Config, store: Store, run: EndedRun): Promise<void> {
  const folder = await createOutFolders(store).folderOf(run.id);
  if (run.kind === 'batch') await (await resultFiles(store, run.id, folder)).complete(undefined);
  else await publish({ store, account, status: run.status, folder, ffmpegPath });
  tell(`"${run.id}" has ended and is exported to ${folder}.`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
