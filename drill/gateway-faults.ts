import { FAULTS, type FaultName } from '../sandbox/faults/fault-table';
import { type Injection } from '../sandbox/faults/injection';
import { pick, type Random } from '../sandbox/random';

/** What no caller can tell from the truth: an answer in good order that names another task. */
const UNKNOWABLE: readonly FaultName[] = ['accept-same-id'];

/** Ways in which the gateway misbehaves during a drill. */
const DEALT = (Object.keys(FAULTS) as FaultName[]).filter((name) => !UNKNOWABLE.includes(name));

/** Refusals after which a take is not sent again, so that its shot fails. */
export const REFUSED_FOR_GOOD: readonly FaultName[] = [
  'refuse-400',
  'refuse-404',
  'refuse-409',
  'refuse-413',
  'refuse-415',
  'refuse-422',
];

/** Faults strike up to this many scenes in a row. */
const MOST_IN_A_ROW = 3;

/** One of each. What can strike any request strikes submits as often as the far more frequent reads. */
export function gatewayFaults(random: Random): readonly Injection[] {
  return DEALT.map((kind) => ({
    kind,
    count: 1 + Math.floor(random() * MOST_IN_A_ROW),
    ...(FAULTS[kind].at === 'request' ? { on: pick(random, 'submit', 'read') } : {}),
  }));
}

/**
 * A fault at submits passes after this long, as a real disturbance does. Otherwise all that were dealt while the account's
 * gate is closed would wait for it, one for each try, and the gate would take them for an outage that lasts.
 */
const SUBMIT_FAULT_LASTS_MS = 5_000;

/** @returns how long the fault waits for something to strike. */
export function lastsMs({ kind, on }: Injection): number {
  return FAULTS[kind].at === 'acceptance' || on === 'submit' ? SUBMIT_FAULT_LASTS_MS : Number.POSITIVE_INFINITY;
}
