import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type AssetRef } from '../../contracts/asset';
import { runProductionId } from '../../contracts/identifiers';
import { longestValues } from '../../contracts/run-values';
import { type ScheduleTemplate } from '../../contracts/scheduled-run';
import { readBatchIndex, type Store } from '../../store';
import { freezeBatch } from '../batch';
import { formatRowIssues } from '../batch-file/row-issue';
import { checkBatch, type CheckedBatch, rulesOfFile } from '../batch-file/check-batch';
import { isBatchFile } from '../batch-file/batch-source';
import { openBatchSource } from '../batch-file/batch-source';
import { filesOfRows } from '../batch/batch-assets';
import { freezing, rulesOfBatch } from '../batch/batch-runs';
import { intoStore } from '../batch/freeze-batch';
import { type CheckedProduction, type CheckPolicy, filesOf, formatIssues, loadTemplate } from '../production-file';
import { freezeAsWritten } from '../freeze/freeze-production';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';
import { type Frozen } from '../records/schedule-records';

/** A file that was checked for a schedule and is not in the store yet. */
export type CheckedTemplate = {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
} & (
  | { readonly production: CheckedProduction }
  | {
      readonly batch: CheckedBatch;
      /** Hash of the batch's table before its rows were read. */
      readonly table: string | null;
    }
);

/**
 * Checks a production file or batch whose texts may contain variables of a run, with values filled in. Stores nothing.
 *
 * @throws Refused with all errors.
 */
export async function checkTemplate(schedule: string, file: string, policy: CheckPolicy): Promise<CheckedTemplate> {
  const id = runProductionId(schedule, '2026-09-30T22:22:22Z', 'hand');
  const run = longestValues(schedule, id);
  const path = absolute(file);
  if (await isBatchFile(file)) {
    const [text, table] = await asItIs(path);
    const loaded = await checkBatch(file, { id, policy, run });
    if (!loaded.ok) throw new Refused(formatRowIssues(loaded.issues, loaded.count));
    return { file: path, batch: loaded.batch, text, table };
  }
  const loaded = await loadTemplate(file, policy, run);
  if (!loaded.ok) throw new Refused(formatIssues(loaded.issues));
  return { file: path, production: loaded.production, text: loaded.text };
}

/** Puts a schedule's file into the store, with all files that it names. */
export async function freezeTemplate(
  schedule: string,
  checked: CheckedTemplate,
  store: Store,
  account: string,
): Promise<Frozen> {
  const { file, text } = checked;
  const { template, files } =
    'batch' in checked
      ? await batchTemplate(schedule, checked, store, account)
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

/** Each run fills in the rows and renders them as its own batch, so no row counts as done. */
async function batchTemplate(
  schedule: string,
  { batch, file, text, table }: Extract<CheckedTemplate, { readonly batch: CheckedBatch }>,
  store: Store,
  account: string,
): Promise<Template> {
  // Make sure that the stored text and table are those that were checked.
  const [textNow, tableNow] = await asItIs(file);
  if (text !== textNow) throw changed(file);
  if (table !== tableNow) throw changed(batch.rowsFile ?? file);
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

/** Runs `work` with a checked file, and always removes the check's temporary file. */
export async function closingTemplate<T>(checked: CheckedTemplate | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    if (checked !== undefined && 'batch' in checked) await checked.batch.close();
  }
}

/** A batch file's text, and the hash of its table. */
async function asItIs(path: string): Promise<readonly [string, string | null]> {
  const source = await openBatchSource(path);
  const table = 'issues' in source ? null : source.rowsFile;
  const hash = createHash('sha256');
  // The check reports errors of either file.
  if (table !== null) await pipeline(createReadStream(table), hash).catch(() => undefined);
  const text = await readFile(path, 'utf8').catch(() => '');
  return [text, table === null ? null : hash.digest('hex')];
}

function changed(file: string): Refused {
  return new Refused(`${file} has changed while it was read; give the command again`);
}

async function tableFile(path: string, { assets }: Store): Promise<Template['files'][number]> {
  const { sha256, sizeBytes }: AssetRef = await assets.putBytes(await readFile(path), PLAIN_TEXT);
  return { name: basename(path), sha256, sizeBytes };
}
