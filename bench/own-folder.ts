import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setStage, type Stage } from '../drill/stage';
import { type SandboxOptions } from '../sandbox';

/** Calls `measure` with a temporary folder, which is removed even if `measure` fails. */
export async function inOwnFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  try {
    return await measure(folder);
  } finally {
    // A process that was killed a moment ago may still be writing in the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Calls `measure` with a stage (`setStage`) in a temporary folder. Then closes the stage and removes the folder. */
export function onOwnStage<T>(
  options: Partial<SandboxOptions>,
  measure: (stage: Stage, folder: string) => Promise<T>,
): Promise<T> {
  return inOwnFolder(async (folder) => {
    const stage = await setStage(folder, options);
    try {
      return await measure(stage, folder);
    } finally {
      await stage.close();
    }
  });
}
