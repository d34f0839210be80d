import { type Client } from '@temporalio/client';
import { keptTake, lostIntent, type Store, TakeMismatch, type WorkflowTask } from '../../store';
import { readFrozen } from '../read-frozen';
import { taskIds } from './check-ledger';
import { readHistories } from './read-histories';
import { bookedTakes } from './takes';

export interface RebuildRequest {
  readonly store: Store;
  readonly account: string;
  readonly production: string;
  /** Absent where Temporal does not run: then the archive is all that there is of histories. */
  readonly temporal?: Client;
}

/** A task that the ledger did not have. */
export interface RebuiltTask {
  readonly shot: string;
  readonly take: number;
  readonly task: string;
  /** Why the ledger does not have it yet; null where it has it now. */
  readonly left: string | null;
}

/**
 * Notes the takes and tasks again that the ledger has lost and the histories know, by the rules of
 * docs/decisions/0039-restore-under-running-workflows.md. Sends and spends nothing.
 */
export async function rebuildLedger({
  store,
  account,
  production,
  temporal,
}: RebuildRequest): Promise<readonly RebuiltTask[]> {
  const { facts } = await readHistories(store, production, temporal);
  const { takes } = await bookedTakes(store, production);
  const known = new Set(takes.flatMap(({ history }) => [...taskIds(history)]));
  const lost = new Map<string, WorkflowTask>();
  for (const { taskId, paid } of facts) {
    if (paid !== undefined && !known.has(taskId) && lost.get(taskId)?.asked === undefined) lost.set(taskId, paid);
  }
  const rebuilt: RebuiltTask[] = [];
  for (const paid of lost.values()) rebuilt.push(await rebuild(store, account, paid));
  return rebuilt;
}

async function rebuild(store: Store, account: string, paid: WorkflowTask): Promise<RebuiltTask> {
  const { taskId: task, take, asked } = paid;
  const place = { shot: take.shotId, task };
  const frozen = asked && (await readFrozen(store.assets, asked.production).catch(() => undefined));
  const intent = lostIntent(
    account,
    paid,
    frozen?.shots.find(({ id }) => id === take.shotId),
  );
  if (!intent.asked) {
    const left = `nobody can say that the account ${account} has asked for it: the frozen production is lost, or another account has`;
    return { ...place, take: take.take, left };
  }
  try {
    const kept = await keptTake(store, paid, () => Promise.resolve(intent));
    return { ...place, take: kept.take.take, left: null };
  } catch (error) {
    if (!(error instanceof TakeMismatch)) throw error;
    return { ...place, take: take.take, left: error.message };
  }
}
