import { type AskedTask } from '../contracts/activities';
import { type FrozenShot } from '../contracts/frozen';
import { knownModel, type OutputKind } from '../contracts/models';
import { type TakeRef } from '../contracts/take';
import { askKey, countInAsk, type KeptTake, keptTake, type LostIntent, type PaidTask, type Store } from '../store';
import { type FrozenProductions } from './frozen-productions';
import { whileLedgerServes } from './translate-error';

/** A task as a workflow knows it. */
export interface WorkflowTask extends PaidTask {
  readonly asked?: AskedTask | undefined;
  /** Default: what is known of the model. */
  readonly output?: OutputKind;
}

/** @throws LedgerUnavailable (retried), TakeMismatch (final). */
export type KeepTask = (task: WorkflowTask) => Promise<KeptTake>;

/**
 * Builds what finds a workflow's take in the ledger, by its key, and notes it there if the ledger has lost it.
 *
 * Whoever writes about a paid task finds its take in this way first.
 */
export function createKeepTask(account: string, store: Store, productions: FrozenProductions): KeepTask {
  async function lostIntent({ take, asked, output }: WorkflowTask): Promise<LostIntent> {
    const shot = asked === undefined ? undefined : await shotOf(productions, asked, take);
    const known = asked === undefined || shot === undefined ? undefined : askOf(account, take, asked, shot);
    return {
      ...{ account, renderId: asked?.renderId ?? 'unknown', attempt: asked?.attempt ?? 1 },
      ...(shot === undefined || known === undefined
        ? {
            ...{ asked: false, askKey: take.takeKey, count: 0, parameters: {} },
            model: { ...take.model, output: output ?? knownModel(take.model.id)?.output ?? 'video' },
          }
        : { asked: true, ...known, parameters: shot.parameters, model: shot.model }),
    };
  }

  return (task) => whileLedgerServes(() => keptTake(store, task, () => lostIntent(task)));
}

/** The frozen production may be lost too: a backup of the ledger holds no assets. */
async function shotOf(
  productions: FrozenProductions,
  { production }: AskedTask,
  { shotId }: TakeRef,
): Promise<FrozenShot | undefined> {
  return productions.shot(production, shotId).catch(() => undefined);
}

/** Undefined where the take is of another ask, as one that a person has chosen. */
function askOf(
  account: string,
  { productionId, takeKey }: TakeRef,
  { links, sibling }: AskedTask,
  shot: FrozenShot,
): Pick<LostIntent, 'askKey' | 'count'> | undefined {
  try {
    const ask = askKey({ account, productionId, shot, links, sibling });
    const count = countInAsk(ask, takeKey);
    return count === undefined ? undefined : { askKey: ask, count };
  } catch {
    // A link that is not among those that were handed over.
    return undefined;
  }
}
