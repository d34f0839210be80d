import { buffer } from 'node:stream/consumers';
import { type AssetRef } from '../contracts/asset';
import { type BatchIndex, type BatchPage } from '../contracts/batch';
import { FrozenProduction } from '../contracts/frozen';
import { rowProductionId } from '../contracts/identifiers';
import { type RunValues } from '../contracts/run-values';
import { fillTexts } from '../contracts/template';
import { hashOf, openRowContent, readBatchIndex, readBatchPage, shotDigest, type Store } from '../store';
import { failure } from './fail';
import { filledPlan, fillProduction } from './fill-production';

/**
 * A frozen batch with its variables filled in, under another id, page by page. All of its rows are to be rendered.
 *
 * @throws AssetMissing
 */
export async function fillBatch(
  store: Store,
  template: AssetRef,
  batchId: string,
  values: RunValues,
): Promise<BatchIndex> {
  await checkThere(store, template);
  const index = await readBatchIndex(store.assets, template);
  const content = openRowContent();
  const pages: AssetRef[] = [];
  for (const ref of index.pages) {
    await checkThere(store, ref);
    const page = await fillPage(store, await readBatchPage(store.assets, ref), batchId, values);
    for (const row of page.rows) content.add(row);
    pages.push(await store.putJson(page));
  }
  const title = fillTexts(index.title, values);
  return { ...index, batch: batchId, title, content: content.hash(), open: index.rows, pages };
}

async function fillPage(
  store: Store,
  { frozen, rows }: BatchPage,
  batchId: string,
  values: RunValues,
): Promise<BatchPage> {
  const tasks = frozen === null ? null : fillProduction(await readFrozen(store, frozen), batchId, values);
  const digests = new Map(tasks?.shots.map((shot) => [shot.id, shotDigest(shot)]));
  const filled: BatchPage['rows'][number][] = [];
  for (const row of rows) {
    if (row.kind === 'generation') {
      filled.push({ ...row, digest: digests.get(row.key) ?? row.digest, isDone: false });
      continue;
    }
    const productionId = rowProductionId(batchId, row.key);
    const production = fillProduction(await readFrozen(store, row.production), productionId, values);
    const ref = await store.putJson(production);
    const plan = filledPlan(row.plan, production);
    const basis = { ...row.basis, plan: await store.putJson(plan), written: ref };
    filled.push({ ...row, digest: hashOf(production), productionId, production: ref, plan, basis, isDone: false });
  }
  return { frozen: tasks === null ? null : await store.putJson(tasks), rows: filled };
}

async function readFrozen(store: Store, asset: AssetRef): Promise<FrozenProduction> {
  await checkThere(store, asset);
  return FrozenProduction.parse(JSON.parse((await buffer(store.assets.open(asset))).toString('utf8')));
}

async function checkThere({ assets, folder }: Store, asset: AssetRef): Promise<void> {
  if (await assets.has(asset)) return;
  throw failure('AssetMissing', `what the schedule was made of (${asset.sha256}) is not in the store ${folder}`);
}
