import { type OutputKind } from '../contracts/models';
import { readResult, type ResultFile, type TaskResultReading } from '../gateway';

/** The result of a task as the ledger has kept it. */
export function keptResult(raw: string): TaskResultReading {
  return readResult({ result: JSON.parse(raw) as unknown });
}

/** What was asked for, among covers and last frames; where nothing is of that kind, what came first. */
export function mainFile(files: readonly ResultFile[], output: OutputKind): ResultFile | undefined {
  const ofKind = files.filter(({ isImage }) => isImage === (output === 'image'));
  return ofKind.find(({ isBeside }) => !isBeside) ?? ofKind[0] ?? files[0];
}
