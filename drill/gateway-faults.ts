import { isRefusedForGood } from '../gateway/statuses';
import { FAULTS, type FaultName } from '../sandbox/faults/fault-table';
import { type Injection } from '../sandbox/faults/injection';
import { pick, type Random } from '../sandbox/random';

/** A fault that Dailies cannot always detect: a well-formed answer that names another task. */
const UNDETECTABLE: readonly FaultName[] = ['accept-same-id'];

/** Faults of the gateway that a drill injects. */
const INJECTED = (Object.keys(FAULTS) as FaultName[]).filter((name) => !UNDETECTABLE.includes(name));

/** Refusals that are final: the take is not sent again, and its shot fails. */
export const REFUSED_FOR_GOOD = INJECTED.filter((name) => {
  const [, status] = /^refuse-(\d+)$/.exec(name) ?? [];
  return status !== undefined && isRefusedForGood(Number(status));
});

/** Maximum number of requests or tasks that one injection strikes. */
const MOST_IN_A_ROW = 3;

/**
 * Draws one injection of each fault. A fault of requests strikes only submits or only reads, with equal chance. Without
 * this choice, such a fault would strike mostly reads, which are far more frequent.
 */
export function gatewayFaults(random: Random): readonly Injection[] {
  return INJECTED.map((kind) => ({
    kind,
    count: 1 + Math.floor(random() * MOST_IN_A_ROW),
    ...(FAULTS[kind].at === 'request' ? { on: pick(random, 'submit', 'read') } : {}),
  }));
}

/**
 * A fault of submits ends after this time, as a real disturbance does. After failures, Dailies sends only single
 * submits as probes. A lasting fault would strike one probe after another and look like a lasting outage.
 */
const SUBMIT_FAULT_LASTS_MS = 5_000;

/** @returns how long the fault can strike, in milliseconds. */
export function lifetimeMs({ kind, on }: Injection): number {
  return FAULTS[kind].at === 'acceptance' || on === 'submit' ? SUBMIT_FAULT_LASTS_MS : Number.POSITIVE_INFINITY;
}
