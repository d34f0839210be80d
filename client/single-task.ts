import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle } from '@temporalio/client';
import { type AssetRef } from '../contracts/asset';
import { GENERATIONS } from '../contracts/identifiers';
import { type PlannedShot } from '../contracts/plan';
import { type GenerateInput, type Parked, type TakeOutcome } from '../contracts/workflows';
import { taskStatusQuery } from '../workflows/messages';
import { Refused } from './refused';

/** A look is a query that a worker answers in some 10 ms. */
const LOOK_EVERY_MS = 500;

export interface GenerateRequest {
  /** Names the generation; the same one again finds what it has paid for. */
  readonly generationId: string;
  readonly production: AssetRef;
  readonly shot: PlannedShot;
  readonly mode: 'submit' | 'execute';
}

/** What a single task is started with: one take, of a shot of its own. */
export function singleTaskInput(
  { generationId, production, shot, mode }: GenerateRequest,
  searchable: boolean,
): GenerateInput {
  const { model, output, deadlineSeconds, onUnclear, retryFailed, onFailure } = shot;
  return {
    task: {
      productionId: GENERATIONS,
      production,
      shotId: generationId,
      links: [],
      renderId: randomUUID(),
      attempt: 1,
      sibling: 0,
    },
    model,
    output,
    mode,
    deadlineSeconds,
    onUnclear,
    retryFailed,
    onFailure,
    searchable,
  };
}

/** Resolves when a single task has ended, or is parked; and asks no more then, since the connection may be closed. */
export async function endedOrParked(handle: WorkflowHandle): Promise<TakeOutcome | Parked> {
  const over = new AbortController();
  // A signal of its own for each call: what listens to one is never taken off it, and the wait may be long.
  const ask = <T>(call: () => Promise<T>): Promise<T> =>
    handle.client.withAbortSignal(AbortSignal.any([over.signal]), call);
  const ended = ask(() => handle.result() as Promise<TakeOutcome>);
  const parked = async (): Promise<TakeOutcome | Parked> => {
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      if (over.signal.aborted) return ended;
      const standing = await ask(() => handle.query(taskStatusQuery)).catch(() => null);
      if (standing !== null && 'for' in standing) return standing;
    }
  };
  try {
    return await Promise.race([ended, parked()]);
  } finally {
    over.abort();
  }
}

/** A single task that is running is joined only by the same request of the same account. */
export async function checkSameTask(
  handle: WorkflowHandle,
  generationId: string,
  asked: Readonly<Record<string, string>>,
): Promise<void> {
  const { memo } = await handle.describe();
  if (Object.entries(asked).every(([name, value]) => memo?.[name] === value)) return;
  throw new Refused(
    `task "${generationId}" is running for another request or account; let it end, or name this one by another --id`,
  );
}
