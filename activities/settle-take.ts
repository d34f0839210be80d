import { type TaskReading } from '../gateway';
import { type Settled } from '../store';

/** Longest body of a failed task that the ledger keeps, in characters. */
const BODY_MAX = 16_384;

/** Longest result that it keeps: a long text is well below, and after an execute without a task id it is nowhere else. */
const RESULT_MAX = 262_144;

/** How a task ended, as the gateway tells it. */
export type EndedReading = Exclude<TaskReading, { state: 'pending' }>;

/** What the ledger keeps of a task that has ended. */
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
  return { ...common, reason: failedReason(reading), text: null, raw: reading.raw.slice(0, BODY_MAX) };
}

/** A result that is too long is left out rather than cut: half of it is no JSON. */
function wholeOrNothing(raw: string): string | null {
  return raw.length <= RESULT_MAX ? raw : null;
}

/** The gateway's own words for why a task failed. */
function failedReason({ code, message }: Extract<TaskReading, { state: 'failed' }>): string {
  const words = [code, message].filter((part) => part !== null && part !== '');
  return words.length === 0 ? 'the gateway reported FAILED and gave no reason' : words.join(': ');
}
