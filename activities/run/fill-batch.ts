import { type AssetRef } from '../../contracts/asset';
import { type BatchIndex, type BatchPage, type PageRow } from '../../contracts/render/batch-page';
import { FrozenProduction } from '../../contracts/render/frozen';
import { rowProductionId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { withReadyInstant } from '../../contracts/render/plan';
import { type RunValues } from '../../contracts/file/run-values';
import { fillTexts } from '../../contracts/file/template';
import { hashOf, openRowContent, readBatchIndex, readBatchPage, shotDigest, type Store } from '../../store';
import { withFallbackFilled } from './fill-fallback';
import { filledPlan, fillProduction } from './fill-production';
import { checkThere, OF_SCHEDULE, storedJson } from '../stored-json';

/** The id and the variable values for the batch of a scheduled run, and the time from which `readyBy` is computed. */
export interface BatchFilling {
  readonly batchId: string;
  readonly values: RunValues;
  readonly from: Parameters<typeof withReadyInstant>[1];
}

/**
 * Fills in the variables of a frozen batch, page by page, and gives the batch another id. All rows of the result are to
 * be rendered.
 *
 * @throws AssetMissing (final)
 */
export async function fillBatch(store: Store, template: AssetRef, filling: BatchFilling): Promise<BatchIndex> {
  await checkThere(store, template, OF_SCHEDULE);
  const index = await readBatchIndex(store.assets, template);
  const content = openRowContent();
  const pages: AssetRef[] = [];
  for (const ref of index.pages) {
    await checkThere(store, ref, OF_SCHEDULE);
    const page = await fillPage(store, await readBatchPage(store.assets, ref), filling);
    for (const row of page.rows) content.add(row);
    pages.push(await store.putJson(page));
  }
  const title = fillTexts(index.title, filling.values);
  return { ...index, batch: filling.batchId, title, content: content.hash(), open: index.rows, pages };
}

async function fillPage(
  store: Store,
  { frozen, lowered, rows }: BatchPage,
  { batchId, values, from }: BatchFilling,
): Promise<BatchPage> {
  const tasks = frozen === null ? null : fillProduction(await readFrozen(store, frozen), batchId, values);
  const digests = new Map(tasks?.shots.map((shot) => [shot.id, shotDigest(shot)]));
  const filled: PageRow[] = [];
  for (const row of rows) {
    if (row.kind === 'generation') {
      filled.push({ ...row, digest: digests.get(row.key) ?? row.digest, isDone: false });
      continue;
    }
    const productionId = rowProductionId(batchId, row.key);
    const template = { production: await readFrozen(store, row.production), plan: ofFile(row.plan) };
    const production = fillProduction(template.production, productionId, values);
    const ref = await store.putJson(production);
    const written = filledPlan(await withFallbackFilled(store, template, productionId, values), production);
    const basis = { ...row.basis, plan: await store.putJson(written), written: ref };
    const plan = withReadyInstant(written, from);
    filled.push({ ...row, digest: hashOf(production), productionId, production: ref, plan, basis, isDone: false });
  }
  const low = lowered && fillProduction(await readFrozen(store, lowered), batchId, values);
  return {
    frozen: tasks === null ? null : await store.putJson(tasks),
    ...(low === undefined ? {} : { lowered: await store.putJson(low) }),
    rows: filled,
  };
}

/** The plan as in the file, without the deadline that was computed for the template: each run has its own deadline. */
function ofFile({ readyBy, ...plan }: ProductionPlan): ProductionPlan {
  if (readyBy === undefined) return plan;
  const { rule, fallback } = readyBy;
  return { ...plan, readyBy: { rule, ...(fallback === undefined ? {} : { fallback }) } };
}

async function readFrozen(store: Store, asset: AssetRef): Promise<FrozenProduction> {
  return FrozenProduction.parse(await storedJson(store, asset, OF_SCHEDULE));
}
