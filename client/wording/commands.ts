import { type ParkedFor } from '../../contracts/render/decision';
import { GENERATIONS } from '../../contracts/identifiers';
import { shellWord } from '../../contracts/terminal-text';
import { type TakeHistory } from '../../store';

/** The command that continues a paused production or batch. */
export function resumeCommand(id: string): string {
  return `dailies resume ${id}`;
}

/** The command that continues a production or single task. */
export function renderCommand(productionId: string, file: string | undefined, out?: string): string {
  if (productionId === GENERATIONS) return 'the same `dailies generate` again';
  return `dailies render ${file === undefined ? 'FILE' : shellWord(file)} --id ${productionId}${outFlag(out)}`;
}

/** The command that continues a run of a schedule. */
export function triggerAgainCommand(schedule: string, runId: string): string {
  return `dailies schedule trigger ${schedule} --again ${runId}`;
}

/** The command that continues a batch. A batch of a schedule or a program has no file. */
export function batchCommand(batchId: string, file: string | undefined, out?: string): string {
  return file === undefined
    ? missingRowsCommand(batchId)
    : `dailies batch ${shellWord(file)} --id ${batchId}${outFlag(out)}`;
}

/** The command that writes a production's or batch's files to its out folder. */
export function exportCommand(id: string): string {
  return `dailies export ${id}`;
}

export function notifyCommand(id: string): string {
  return `dailies notify ${id}`;
}

function outFlag(folder: string | undefined): string {
  return folder === undefined ? '' : ` --out ${shellWord(folder)}`;
}

/** The command that renders all rows of a batch without a result, except skipped rows. */
function missingRowsCommand(batchId: string): string {
  return `dailies batch retry-failed ${batchId} --missing`;
}

/** When a parked take began to wait, in ISO 8601: its newest record's time, plus the deadline if it is overdue. */
export function waitsSince(
  { intent, sendings, decisions, settled }: TakeHistory,
  parkedFor: ParkedFor,
  deadlineSeconds: number,
): string {
  const answers = sendings.flatMap(({ accepted, refused, unclear }) => [accepted, refused, unclear]);
  const recorded = [intent, ...answers, ...decisions, settled].flatMap((record) => record?.at ?? []);
  const lastMs = Math.max(...recorded.map((at) => Date.parse(at)));
  return new Date(lastMs + (parkedFor === 'overdue' ? deadlineSeconds * 1_000 : 0)).toISOString();
}
