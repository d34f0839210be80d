import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { holdsBatch } from '../../contracts/file/batch-file';
import { runProductionId } from '../../contracts/identifiers';
import { longestValues, type RunValues } from '../../contracts/file/run-values';
import { isBatchFile, openBatchSource } from '../batch-file/batch-source';
import { checkBatch, type CheckedBatch } from '../batch-file/check-batch';
import { openGivenBatch } from '../batch-file/given-batch';
import { formatRowIssues, type RowIssue } from '../batch-file/row-issue';
import {
  checkGiven,
  type CheckedProduction,
  type CheckPolicy,
  formatIssues,
  loadTemplate,
  type PlaceIssue,
} from '../production-file';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';

/** A file or object that was checked for a schedule and is not in the store yet. */
export type CheckedTemplate = {
  /** Absolute path; null for an object. */
  readonly file: string | null;
  readonly text: string;
} & (
  | { readonly production: CheckedProduction }
  | {
      readonly batch: CheckedBatch;
      /** Hash of the batch's table before the rows were read; null if there is no table. */
      readonly table: string | null;
    }
);

/**
 * Checks a production file or batch file whose texts may contain variables such as `{{date}}`. The check fills in the
 * longest values that a run can give them. Stores nothing.
 *
 * @throws Refused with all errors of a production, or the first errors of a batch.
 */
export async function checkTemplate(schedule: string, file: string, policy: CheckPolicy): Promise<CheckedTemplate> {
  const { id, run } = longestRun(schedule);
  const path = absolute(file);
  if (await isBatchFile(file)) {
    const [text, table] = await textAndTableHash(path);
    const loaded = await checkBatch(file, { id, policy, run });
    if (!loaded.ok) throw new Refused(formatRowIssues(loaded.issues, loaded.count));
    return { file: path, batch: loaded.batch, text, table };
  }
  const loaded = await loadTemplate(file, policy, run);
  if (!loaded.ok) throw new Refused(formatIssues(loaded.issues));
  return { file: path, production: loaded.production, text: loaded.text };
}

/**
 * A checked template, or its errors: all errors of a production, or the first errors of a batch and the count of all.
 */
export type GivenTemplate =
  | { readonly template: CheckedTemplate }
  | { readonly issues: readonly PlaceIssue[] }
  | { readonly issues: readonly RowIssue[]; readonly count: number };

/**
 * Like `checkTemplate`, but checks a production or batch object, and returns the errors instead of throwing.
 *
 * @param folder absolute; relative paths start from it.
 */
export async function checkGivenTemplate(
  schedule: string,
  given: object,
  policy: CheckPolicy,
  folder: string,
): Promise<GivenTemplate> {
  const { id, run } = longestRun(schedule);
  if (holdsBatch(given)) {
    const texts: string[] = [];
    const source = openGivenBatch(given, { folder, onText: (text) => texts.push(text) });
    const table = await hashOfTable('issues' in source ? null : source.rowsFile);
    const loaded = await checkBatch(source, { id, policy, run });
    if (!loaded.ok) return loaded;
    return { template: { file: null, batch: loaded.batch, text: texts.join(''), table } };
  }
  const loaded = await checkGiven(given, { folder, fallbackId: schedule }, policy, run);
  return loaded.ok ? { template: { file: null, production: loaded.production, text: loaded.text } } : loaded;
}

/** @throws Refused if the batch's file or its table has changed since the check began. */
export async function refuseChanged({
  file,
  text,
  table,
  batch: { rowsFile },
}: Extract<CheckedTemplate, { readonly batch: CheckedBatch }>): Promise<void> {
  const changed = (path: string): Refused =>
    new Refused(`${path} has changed while it was read; give the command again`);
  if (file !== null && (await textOf(file)) !== text) throw changed(file);
  if (rowsFile !== null && (await hashOfTable(rowsFile)) !== table) throw changed(rowsFile);
}

function longestRun(schedule: string): { readonly id: string; readonly run: RunValues } {
  const id = runProductionId(schedule, '2026-09-30T22:22:22Z', 'hand');
  return { id, run: longestValues(schedule, id) };
}

async function textAndTableHash(path: string): Promise<readonly [string, string | null]> {
  const source = await openBatchSource(path);
  const table = await hashOfTable('issues' in source ? null : source.rowsFile);
  return [await textOf(path), table];
}

function textOf(path: string): Promise<string> {
  // If the file cannot be read, the check reports that.
  return readFile(path, 'utf8').catch(() => '');
}

async function hashOfTable(path: string | null): Promise<string | null> {
  if (path === null) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash).catch(() => undefined);
  return hash.digest('hex');
}
