import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type Decision, NOT_PARKED } from '../../contracts/decision';
import { GENERATIONS, generateWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { readableTakes, type Store } from '../../store';
import { approveShotUpdate, resolveShotUpdate } from '../../workflows/messages';
import { openUnclear } from '../records/unclear-submit';
import { Refused } from '../wording/refused';
import { takeBackSkip } from '../records/take-back-skip';

/** A person's answers to shots that wait for them. */
export interface Answers {
  /** Approves a take of a shot in review and returns its number. @param take null for the take that is chosen now. */
  approve(productionId: string, shotId: string, take: number | null): Promise<number>;
  /**
   * Decides how a parked shot continues. A single task has the production id `generations`. If the shot's workflow is
   * not running, only a `resubmit` of a skipped shot is possible.
   *
   * @param take needed if several takes of the shot are parked.
   * @returns `goesOn`: true if the shot continues by itself, false if the next render continues it.
   */
  resolve(
    productionId: string,
    shotId: string,
    decision: Decision,
    take?: number | null,
  ): Promise<{ readonly goesOn: boolean }>;
}

/** A worker that has just started parks an unclear take within seconds; a busy machine takes longer. */
const PARKS_WITHIN_MS = 60_000;
const PARKED_PAUSE_MS = 500;

export function createAnswers({ workflow }: Client, store: Store, account: string): Answers {
  return {
    async approve(productionId, shotId, take) {
      try {
        const handle = workflow.getHandle(shotWorkflowId(store.id, productionId, shotId));
        return await handle.executeUpdate(approveShotUpdate, { args: [{ take }] });
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not in review; see \`dailies status ${productionId}\``,
        );
      }
    },
    async resolve(productionId, shotId, decision, take = null) {
      const workflowId =
        productionId === GENERATIONS
          ? generateWorkflowId(store.id, shotId)
          : shotWorkflowId(store.id, productionId, shotId);
      try {
        await onceParked(
          () => workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision, take] }),
          () => unclearSubmits(store, { productionId, shotId }, take),
        );
        return { goesOn: true };
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        if (decision.kind === 'resubmit' && (await takeBackSkip(store, account, { productionId, shotId }, take))) {
          return { goesOn: false };
        }
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
  };
}

/**
 * Sends an answer again while the shot is not parked although the ledger says that it is unclear.
 *
 * The ledger knows by the clock that no answer can come any more. The workflow knows it from a worker, which may have
 * started just now. Another answer may be first; the answer is then not sent again, since the next submit may be unclear
 * too, and `resubmit` would pay for that one once more.
 */
async function onceParked<T>(send: () => Promise<T>, unclear: () => Promise<readonly string[]>): Promise<T> {
  const until = Date.now() + PARKS_WITHIN_MS;
  let meant: readonly string[] | undefined;
  const isStillOpen = async (): Promise<boolean> => {
    const now = await unclear();
    meant = (meant ?? now).filter((one) => now.includes(one));
    return meant.length > 0;
  };
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isNotParked(error) || Date.now() > until || !(await isStillOpen())) throw error;
      await delay(PARKED_PAUSE_MS);
      if (!(await isStillOpen())) throw error;
    }
  }
}

function isNotParked(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.includes(NOT_PARKED) === true;
}

/** Names the unclear submits that nobody has decided on. */
async function unclearSubmits(
  store: Store,
  place: { readonly productionId: string; readonly shotId: string },
  take: number | null,
): Promise<readonly string[]> {
  const { takes } = await readableTakes(store, place);
  return takes
    .filter((one) => take === null || one.take === take)
    .flatMap((one) => {
      const submit = openUnclear(one);
      return submit === undefined ? [] : `${one.take}/${submit.n}`;
    });
}
