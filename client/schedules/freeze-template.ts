import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { runProductionId } from '../../contracts/identifiers';
import { longestValues } from '../../contracts/run-values';
import { type ScheduleTemplate } from '../../contracts/scheduled-run';
import { readBatchIndex, type Store } from '../../store';
import { checkBatch, type CheckedBatch, formatRowIssues, freezeBatch, isBatchFile, rulesOfFile } from '../batch';
import { filesOfRows } from '../batch/batch-assets';
import { freezing, rulesOfBatch } from '../batch/batch-runs';
import { intoStore } from '../batch/freeze-batch';
import {
  type CheckedProduction,
  type CheckPolicy,
  filesOf,
  formatIssues,
  freezeAsWritten,
  loadTemplate,
} from '../production-file';
import { Refused } from '../refused';
import { type Frozen } from './schedule-records';

/** A file that was checked for a schedule, and is not in the store yet. */
export type CheckedTemplate = {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
} & ({ readonly production: CheckedProduction } | { readonly batch: CheckedBatch });

/**
 * Checks a production file or a batch whose texts may hold the variables of a run, as it would be filled. Stores nothing.
 *
 * @throws Refused with all that is wrong.
 */
export async function checkTemplate(schedule: string, file: string, policy: CheckPolicy): Promise<CheckedTemplate> {
  const id = runProductionId(schedule, '2026-09-30T22:22:22Z', 'hand');
  const run = longestValues(schedule, id);
  const path = resolve(file);
  if (await isBatchFile(file)) {
    const loaded = await checkBatch(file, { id, policy, run });
    if (!loaded.ok) throw new Refused(formatRowIssues(loaded.issues, loaded.count));
    return { file: path, batch: loaded.batch, text: await readFile(path, 'utf8') };
  }
  const loaded = await loadTemplate(file, policy, run);
  if (!loaded.ok) throw new Refused(formatIssues(loaded.issues));
  return { file: path, production: loaded.production, text: loaded.text };
}

/** Puts a file for a schedule into the store, with all that it names. */
export async function freezeTemplate(
  schedule: string,
  checked: CheckedTemplate,
  store: Store,
  account: string,
): Promise<Frozen> {
  const { file, text } = checked;
  const { template, files } =
    'batch' in checked
      ? await batchTemplate(schedule, checked.batch, store, account)
      : await productionTemplate(schedule, checked.production, store);
  return {
    template: await store.putJson(template),
    file,
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

/** Each run has its rows filled in and rendered as a batch of its own: nothing of it is done before. */
async function batchTemplate(schedule: string, batch: CheckedBatch, store: Store, account: string): Promise<Template> {
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

/** Removes what the check has set aside. */
export async function closeTemplate(checked: CheckedTemplate | undefined): Promise<void> {
  if (checked !== undefined && 'batch' in checked) await checked.batch.close();
}

async function tableFile(path: string, { assets }: Store): Promise<Template['files'][number]> {
  const { sha256, sizeBytes }: AssetRef = await assets.putBytes(await readFile(path), PLAIN_TEXT);
  return { name: basename(path), sha256, sizeBytes };
}
