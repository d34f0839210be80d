import { isRefusedForGood } from '../gateway/statuses';
import { FAULTS, type FaultName } from '../sandbox/faults/fault-table';
import { type Injection } from '../sandbox/faults/injection';
import { pick, type Random } from '../sandbox/random';

/** Faults that no caller can detect: well-formed answers that name another task. */
const UNKNOWABLE: readonly FaultName[] = ['accept-same-id'];

/** Faults of the gateway that a drill deals. */
const DEALT = (Object.keys(FAULTS) as FaultName[]).filter((name) => !UNKNOWABLE.includes(name));

/** Refusals after which a take is not sent again, so its shot fails. */
export const REFUSED_FOR_GOOD = DEALT.filter((name) => {
  const [, status] = /^refuse-(\d+)$/.exec(name) ?? [];
  return status !== undefined && isRefusedForGood(Number(status));
});

/** Largest number of scenes in a row that one fault strikes. */
const MOST_IN_A_ROW = 3;

/**
 * One injection of each fault. Reads are far more frequent than submits, so faults of requests are dealt to each
 * equally often.
 */
export function gatewayFaults(random: Random): readonly Injection[] {
  return DEALT.map((kind) => ({
    kind,
    count: 1 + Math.floor(random() * MOST_IN_A_ROW),
    ...(FAULTS[kind].at === 'request' ? { on: pick(random, 'submit', 'read') } : {}),
  }));
}

/**
 * A fault of submits ends after this time, as a real disturbance does. Otherwise all faults dealt while the account's
 * gate is closed would wait for it, strike one probe each, and look like a lasting outage.
 */
const SUBMIT_FAULT_LASTS_MS = 5_000;

/** @returns how long the fault waits for something to strike, in milliseconds. */
export function lastsMs({ kind, on }: Injection): number {
  return FAULTS[kind].at === 'acceptance' || on === 'submit' ? SUBMIT_FAULT_LASTS_MS : Number.POSITIVE_INFINITY;
}
