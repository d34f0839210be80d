import { type OutputKind } from '../contracts/gateway/models';
import { readResult, type ResultFile, type TaskResultReading } from '../gateway';

/** The result of a task, from the ledger's record. */
export function keptResult(raw: string): TaskResultReading {
  return readResult({ result: JSON.parse(raw) as unknown });
}

/**
 * The first file of the requested kind, preferably not a cover or a last frame. If no file is of that kind, the first
 * file; undefined if there are no files.
 */
export function mainFile(files: readonly ResultFile[], output: OutputKind): ResultFile | undefined {
  const ofKind = files.filter(({ isImage }) => isImage === (output === 'image'));
  return ofKind.find(({ isBeside }) => !isBeside) ?? ofKind[0] ?? files[0];
}
