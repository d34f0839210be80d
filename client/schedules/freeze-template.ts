import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { type ScheduleTemplate } from '../../contracts/render/scheduled-run';
import { type FrozenSchedule, readBatchIndex, type Store } from '../../store';
import { freezeBatch } from '../batch';
import { type CheckedBatch, rulesOfFile } from '../batch-file/check-batch';
import { filesOfRows } from '../batch/batch-assets';
import { freezing, intoStore, rulesOfBatch } from '../batch/freeze-batch';
import { type CheckedProduction, filesOf } from '../production-file';
import { freezeAsWritten } from '../freeze/freeze-production';
import { type CheckedTemplate, refuseChanged } from './check-template';

/**
 * Puts a schedule's file or object into the store, with all files that it names.
 *
 * @throws Refused if the file or table of a batch has changed since the check.
 */
export async function freezeTemplate(
  schedule: string,
  checked: CheckedTemplate,
  store: Store,
  account: string,
): Promise<FrozenSchedule> {
  const { file, text } = checked;
  const { template, files } =
    'batch' in checked
      ? await batchTemplate(schedule, checked, store, account)
      : await productionTemplate(schedule, checked.production, store);
  return {
    template: await store.putJson(template),
    ...(file === null ? { file: '', given: true } : { file }),
    source: await store.assets.putBytes(Buffer.from(text), PLAIN_TEXT),
    files: [...new Map(files.map((one) => [one.sha256, one])).values()],
    frozenAt: new Date().toISOString(),
  };
}

interface Template {
  readonly template: ScheduleTemplate;
  readonly files: ReturnType<typeof filesOf>;
}

const PLAIN_TEXT = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null } as const;

async function productionTemplate(id: string, production: CheckedProduction, store: Store): Promise<Template> {
  const { frozen, plan } = await freezeAsWritten(production, store, { id });
  return { template: { version: 1, kind: 'production', production: frozen, plan }, files: filesOf(frozen) };
}

/** No row counts as done, because each run renders all rows as a batch of its own. */
async function batchTemplate(
  schedule: string,
  checked: Extract<CheckedTemplate, { readonly batch: CheckedBatch }>,
  store: Store,
  account: string,
): Promise<Template> {
  await refuseChanged(checked);
  const { batch } = checked;
  const { modeOf } = await freezing(store, account, schedule);
  const target = {
    ...intoStore(store),
    async freezeProduction(production: CheckedProduction, id: string) {
      const { frozen, plan } = await freezeAsWritten(production, store, { id });
      const ref = await store.putJson(frozen);
      return { frozen, ref, plan, written: ref };
    },
  };
  const index = await store.putJson(await freezeBatch(batch, { target, modeOf, isDone: () => Promise.resolve(false) }));
  const rules = await rulesOfBatch(store, batch, rulesOfFile(batch));
  const files = batch.rowsFile === null ? [] : [await tableFile(batch.rowsFile, store)];
  for await (const one of filesOfRows(store, await readBatchIndex(store.assets, index))) files.push(one);
  return { template: { version: 1, kind: 'batch', index, rules }, files };
}

/** Runs `work`, and then removes the temporary file of a checked batch, even if `work` fails. */
export async function closingTemplate<T>(checked: CheckedTemplate | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    if (checked !== undefined && 'batch' in checked) await checked.batch.close();
  }
}

async function tableFile(path: string, { assets }: Store): Promise<Template['files'][number]> {
  const { sha256, sizeBytes }: AssetRef = await assets.putBytes(await readFile(path), PLAIN_TEXT);
  return { name: basename(path), sha256, sizeBytes };
}
