import { rowNameConflict, type Store, type StoreView } from '../../store';
import { Refused, unknownId } from '../wording/refused';
import { type FreezeBatchOptions, intoStore } from './freeze-batch';
import { isSameOrigin, originInWords } from '../records/production-claim';

/**
 * @throws Refused if the name belongs to a production or a schedule's run. Without `takeOver`, also if the name belongs
 *   to a batch of another origin (file or program).
 */
export async function checkName(
  store: StoreView,
  { batchId, path, takeOver }: { readonly batchId: string; readonly path: string | null; readonly takeOver: boolean },
): Promise<void> {
  const { batches } = store;
  const { productions } = store;
  if (
    [await productions.begun(batchId), await productions.source(batchId), await productions.fork(batchId)].some(Boolean)
  ) {
    throw new Refused(`"${batchId}" is a production; give the batch another name with --id`);
  }
  const run = await store.runs.byId(batchId);
  if (run !== undefined) {
    throw new Refused(
      `"${batchId}" is a run of the schedule "${run.schedule}", rendered from the files frozen for it; ` +
        `to render its failed rows again: \`dailies batch retry-failed ${batchId}\`; ` +
        'with --missing also rows that are parked, were cancelled, never began or lost their result',
    );
  }
  const known = await batches.origin(batchId);
  if (known !== undefined && !takeOver && !(await isSameOrigin(known, path))) {
    throw new Refused(
      `batch "${batchId}" was last begun from ${originInWords(known)}, and this is ${originInWords(path)}; ` +
        `give this one a name of its own with --id, or take over the old one with --id ${batchId}`,
    );
  }
}

/**
 * A target that freezes rows into the store. It refuses a row whose production id belongs to a standalone production, a
 * fork, a batch, or another batch's row.
 */
export function ownTarget(store: Store, batchId: string): FreezeBatchOptions['target'] {
  const target = intoStore(store);
  return {
    ...target,
    async freezeProduction(production, id) {
      const other = await otherOwner(store, id, batchId);
      if (other === undefined) return target.freezeProduction(production, id);
      throw new Refused(`${other}; give this batch another name with --id`);
    },
  };
}

/** The other owner of a row's production id, in words; undefined if there is none. */
async function otherOwner(store: Store, id: string, batchId: string): Promise<string | undefined> {
  const { productions } = store;
  const origin = await productions.origin(id);
  if (origin !== undefined) return `"${id}" is a production that was rendered from ${originInWords(origin)}`;
  const fork = await productions.fork(id);
  // A fork that has been rendered has an origin or is a row, and is checked as such.
  if (fork !== undefined && (await productions.begun(id)) === undefined) return `"${id}" is a fork of "${fork.of}"`;
  return rowNameConflict(store, id, batchId);
}

export async function unknownBatch({ batches }: Pick<Store, 'batches'>, batchId: string): Promise<Refused> {
  return unknownId('batch', batchId, await batches.ids());
}
