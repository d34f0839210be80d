import { type TaskReading } from '../gateway';
import { type Settled } from '../store';

/** Longest answer that the ledger keeps, in characters. */
const RAW_MAX = 16_384;

type EndedReading = Exclude<TaskReading, { state: 'pending' }>;

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
  return { ...common, reason: failedReason(reading), text: null, raw: reading.raw.slice(0, RAW_MAX) };
}

/** A result that is too long is left out rather than cut: half of it is no JSON. */
function wholeOrNothing(raw: string): string | null {
  return raw.length <= RAW_MAX ? raw : null;
}

/** The gateway's own words for why a task failed. */
function failedReason({ code, message }: Extract<TaskReading, { state: 'failed' }>): string {
  const words = [code, message].filter((part) => part !== null && part !== '');
  return words.length === 0 ? 'the gateway reported FAILED and gave no reason' : words.join(': ');
}
