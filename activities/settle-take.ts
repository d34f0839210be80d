import { type TaskReading } from '../gateway';
import { type Settled } from '../store';

/**
 * Longest raw result of a completed task that the ledger keeps, in characters of JSON. Even long texts are far shorter.
 * The limit is high, because the result of an execute without a task id cannot be read again.
 */
const RESULT_MAX = 262_144;

/** The gateway's report of how a task ended. */
export type EndedReading = Exclude<TaskReading, { state: 'pending' }>;

/** The ledger's record of a task that has ended. */
export function settledRecord(taskId: string, reading: EndedReading): Settled {
  const common = { taskId, state: reading.state, credits: reading.credits, at: new Date().toISOString() };
  if (reading.state === 'completed') {
    return {
      ...common,
      reason: null,
      text: reading.result.text,
      raw: wholeOrNothing(JSON.stringify(reading.result.raw)),
    };
  }
  return { ...common, reason: failedReason(reading), text: null, raw: reading.raw };
}

/** Drops a result that is too long, because truncated JSON could not be parsed. */
function wholeOrNothing(raw: string): string | null {
  return raw.length <= RESULT_MAX ? raw : null;
}

/** The reason for a task's failure, in the gateway's words if it gave any. */
function failedReason({ code, message }: Extract<TaskReading, { state: 'failed' }>): string {
  const words = [code, message].filter((part) => part !== null && part !== '');
  return words.length === 0 ? 'the gateway reported FAILED and gave no reason' : words.join(': ');
}
