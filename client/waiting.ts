import { type ParkedFor } from '../contracts/decision';
import { GENERATIONS } from '../contracts/identifiers';
import { type TakeHistory } from '../store';
import { shellWord } from './books/difference';

/** What to type so that a paused production or batch goes on. */
export function resumeCommand(id: string): string {
  return `dailies resume ${id}`;
}

/** What to type so that a production, or a single task, goes on to its end. */
export function renderCommand(productionId: string, file: string | undefined, out?: string): string {
  if (productionId === GENERATIONS) return 'the same `dailies generate` again';
  return `dailies render ${file === undefined ? 'FILE' : shellWord(file)} --id ${productionId}${outFlag(out)}`;
}

/** What to type so that a run of a schedule goes on to its end. */
export function triggerAgainCommand(schedule: string, runId: string): string {
  return `dailies schedule trigger ${schedule} --again ${runId}`;
}

/** What to type so that a batch goes on to its end; one of a schedule has no file to begin it from again. */
export function batchCommand(batchId: string, file: string | undefined, out?: string): string {
  return file === undefined
    ? missingRowsCommand(batchId)
    : `dailies batch ${shellWord(file)} --id ${batchId}${outFlag(out)}`;
}

/** What to type so that a production or batch is put out as files. */
export function exportCommand(id: string): string {
  return `dailies export ${id}`;
}

/** What to type so that notices that were not delivered are sent again. */
export function notifyCommand(id: string): string {
  return `dailies notify ${id}`;
}

function outFlag(folder: string | undefined): string {
  return folder === undefined ? '' : ` --out ${shellWord(folder)}`;
}

/** What to type so that all rows are rendered that a batch lacks. */
export function missingRowsCommand(batchId: string): string {
  return `dailies batch retry-failed ${batchId} --missing`;
}

/**
 * Since when a parked take waits, as near as the ledger tells: since the newest that it has noted, and where the task is
 * overdue, since its deadline after that. ISO 8601.
 */
export function waitsSince(
  { intent, sendings, decisions, settled }: TakeHistory,
  parkedFor: ParkedFor,
  deadlineSeconds: number,
): string {
  const answers = sendings.flatMap(({ accepted, refused, unclear }) => [accepted, refused, unclear]);
  const noted = [intent, ...answers, ...decisions, settled].flatMap((record) => record?.at ?? []);
  const lastMs = Math.max(...noted.map((at) => Date.parse(at)));
  return new Date(lastMs + (parkedFor === 'overdue' ? deadlineSeconds * 1_000 : 0)).toISOString();
}
