import { type BatchStatus, waitsAlone } from '../../contracts/render/batch';
import { type ProductionStatus } from '../../contracts/status';
import { type RunBy } from '../../contracts/render/scheduled-run';
import { isDamaged, type ScheduledRun, type Store } from '../../store';
import { waitsForPeople } from '../../contracts/status';
import { createOutFolders } from '../records/out-folders';

/** The largest number of runs that are listed for a schedule. */
const SHOWN = 10;

export interface RunView {
  /** Id of the run's production or batch. */
  readonly production: string;
  readonly kind: 'production' | 'batch';
  readonly number: number;
  readonly scheduledAt: string;
  readonly by: RunBy;
  /** `waiting`: only people can continue the run. `begun`: the run was about to begin, and nothing more is known. */
  readonly state: ProductionStatus['state'] | 'waiting' | 'begun';
  readonly reason: string | null;
  /** Folder with the run's results; null if the results were not published, or if the folder is gone. */
  readonly out: string | null;
}

/** The last runs of a schedule, newest first. Leaves out a run whose record is damaged. */
export async function lastRuns(
  store: Pick<Store, 'batches' | 'outPlaces' | 'runs' | 'schedules'>,
  schedule: string,
  statusOf: (productionId: string) => Promise<ProductionStatus | undefined>,
): Promise<readonly RunView[]> {
  const ids = [...(await store.runs.ids(schedule))].sort((a, b) => timeIn(b).localeCompare(timeIn(a)));
  const unlessDamaged = (error: unknown): undefined => {
    if (!isDamaged(error)) throw error;
  };
  const runs = await Promise.all(ids.slice(0, SHOWN).map((id) => store.runs.run(schedule, id).catch(unlessDamaged)));
  const places = createOutFolders(store);
  return Promise.all(
    runs
      .filter((run) => run !== undefined)
      .map(async (run) => ({
        ...(run.kind === 'batch'
          ? batchView(run, await batchStanding(store, run))
          : runView(run, await statusOf(run.productionId))),
        out: await places.publishedFolder(run.productionId),
      })),
  );
}

/** The time at the end of a run's id, in a form that sorts by time. */
function timeIn(productionId: string): string {
  return productionId.slice(productionId.lastIndexOf('-') + 1);
}

type Standing = Omit<RunView, 'out'>;

function runView(run: ScheduledRun, status: ProductionStatus | undefined): Standing {
  const isWaiting = status !== undefined && waitsForPeople(status);
  return viewOf(run, isWaiting ? 'waiting' : (status?.state ?? 'begun'), status?.reason ?? null);
}

/** The state of a batch after its last start, which may be a person's retry. Undefined if it was never started. */
async function batchStanding(
  { batches }: Pick<Store, 'batches'>,
  { productionId }: ScheduledRun,
): Promise<BatchStatus | 'running' | undefined> {
  const begun = await batches.begun(productionId);
  return begun === undefined ? undefined : ((await batches.ended(productionId, begun.run)) ?? 'running');
}

function batchView(run: ScheduledRun, standing: BatchStatus | 'running' | undefined): Standing {
  if (standing === undefined) return viewOf(run, 'begun', null);
  if (standing === 'running') return viewOf(run, 'running', null);
  return viewOf(run, waitsAlone(standing) ? 'waiting' : standing.state, standing.reason);
}

function viewOf(
  { productionId, kind, number, scheduledAt, by }: ScheduledRun,
  state: RunView['state'],
  reason: string | null,
): Standing {
  return { production: productionId, kind, number, scheduledAt, by, state, reason };
}
