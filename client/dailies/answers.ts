import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type Decision, NOT_AWAITED, NOT_PARKED } from '../../contracts/render/decision';
import { GENERATIONS, generateWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { readableTakes, type Store } from '../../store';
import { approveShotUpdate, resolveShotUpdate } from '../../workflows/messages';
import { decideInLedger, type FindTask, takeBackSkip } from '../records/decide-in-ledger';
import { openUnclear, submitName } from '../records/unclear-submit';
import { Refused } from '../wording/refused';

/** A person's decisions about shots that wait for one. */
export interface Answers {
  /** Approves a take of a shot in review. @param take null for the chosen take. @returns the take's number. */
  approve(productionId: string, shotId: string, take: number | null): Promise<number>;
  /**
   * Decides how a parked shot continues. If no workflow waits for the decision, records it for the next render, as far
   * as `decideInLedger` or `takeBackSkip` allows.
   *
   * @param productionId `generations` for a single task.
   * @param take required if several takes of the shot are parked.
   * @returns `goesOn`: true if the shot continues by itself, false if the next render continues it.
   */
  resolve(
    productionId: string,
    shotId: string,
    decision: Decision,
    take?: number | null,
  ): Promise<{ readonly goesOn: boolean }>;
}

/** Time limit for sending a decision again. A new worker parks an unclear take within seconds on an idle machine. */
const PARKS_WITHIN_MS = 60_000;
const RETRY_EVERY_MS = 500;

export function createAnswers({ workflow }: Client, store: Store, account: string, findTask?: FindTask): Answers {
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
      const place = { productionId, shotId };
      const unclear = (): Promise<readonly string[]> => unclearSubmits(store, place, take);
      const seen = await unclear();
      try {
        await sendOnceParked(
          () => workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision, take] }),
          { seen, unclear },
        );
        return { goesOn: true };
      } catch (error) {
        const hasEnded = error instanceof WorkflowNotFoundError;
        if (hasEnded && decision.kind === 'resubmit' && (await takeBackSkip(store, account, place, take))) {
          return { goesOn: false };
        }
        const answer = { decision, take, seen, ...(findTask === undefined ? {} : { findTask }) };
        if ((hasEnded || hasDetail(error, NOT_AWAITED)) && (await decideInLedger(store, account, place, answer))) {
          return { goesOn: false };
        }
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
  };
}

/**
 * Sends a decision. Sends it again while the ledger has an unclear submit and the shot is not parked yet.
 *
 * The ledger shows a submit as unclear once its time limit has passed. The shot is parked a little later, by a worker
 * that may have just started. If another decision on the submit arrives first, this decision is not sent again: the
 * next submit may be unclear too, and a repeated `resubmit` would send and pay once more.
 */
async function sendOnceParked<T>(
  send: () => Promise<T>,
  { seen, unclear }: { readonly seen: readonly string[]; readonly unclear: () => Promise<readonly string[]> },
): Promise<T> {
  const until = Date.now() + PARKS_WITHIN_MS;
  let decidedOn = seen;
  const isStillOpen = async (): Promise<boolean> => {
    const now = await unclear();
    decidedOn = decidedOn.filter((one) => now.includes(one));
    return decidedOn.length > 0;
  };
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!hasDetail(error, NOT_PARKED) || Date.now() > until || !(await isStillOpen())) throw error;
      await delay(RETRY_EVERY_MS);
      if (!(await isStillOpen())) throw error;
    }
  }
}

function hasDetail(error: unknown, detail: string): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.includes(detail) === true;
}

/** Names of the unclear submits that wait for a decision. */
async function unclearSubmits(
  store: Store,
  place: { readonly productionId: string; readonly shotId: string },
  take: number | null,
): Promise<readonly string[]> {
  const { takes } = await readableTakes(store.ledger, place);
  return takes
    .filter((one) => take === null || one.take === take)
    .flatMap((one) => {
      const submit = openUnclear(one);
      return submit === undefined ? [] : submitName(one, submit);
    });
}
