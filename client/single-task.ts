import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle } from '@temporalio/client';
import { type Priority } from '../contracts/arbiter';
import { type AssetRef } from '../contracts/asset';
import { GENERATIONS } from '../contracts/identifiers';
import { type PlannedShot } from '../contracts/plan';
import { type GenerateInput, type Parked, type TakeOutcome } from '../contracts/workflows';
import { taskStatusQuery } from '../workflows/messages';
import { retryWhileUnavailable } from './once-back';
import { Refused } from './refused';

/** A look is a query that a worker answers in some 10 ms. */
const LOOK_EVERY_MS = 500;

export interface GenerateRequest {
  /** Names the generation; the same one again finds what it has paid for. */
  readonly generationId: string;
  readonly production: AssetRef;
  readonly shot: PlannedShot;
  readonly mode: 'submit' | 'execute';
  /** Whose turn comes first where the account has limits. Default: normal. */
  readonly priority?: Priority;
}

/** A task that is under way. */
export interface BegunTask {
  /** Resolves when it has ended, or as soon as it is parked; to undefined when the signal ends the waiting. */
  ended(signal: AbortSignal): Promise<TakeOutcome | Parked | undefined>;
}

/** What a single task is started with: one take, of a shot of its own. */
export function singleTaskInput(
  { generationId, production, shot, mode, priority }: GenerateRequest,
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
      ...(priority === undefined ? {} : { turn: { priority, deadlineSeconds } }),
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

/**
 * Resolves when a single task has ended, or is parked; and asks no more then, since the connection may be closed. A Temporal
 * server that is away for a while is waited for.
 *
 * @returns undefined when the signal ends the waiting.
 */
export async function endedOrParked(
  handle: WorkflowHandle,
  signal: AbortSignal,
): Promise<TakeOutcome | Parked | undefined> {
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  // A signal of its own for each call: what listens to one is never taken off it, and the wait may be long.
  const ask = <T>(call: () => Promise<T>): Promise<T> => handle.client.withAbortSignal(AbortSignal.any([isOver]), call);
  const ended = retryWhileUnavailable(() => ask(() => handle.result() as Promise<TakeOutcome>), isOver);
  const parked = async (): Promise<TakeOutcome | Parked | undefined> => {
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      if (isOver.aborted) return ended;
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
