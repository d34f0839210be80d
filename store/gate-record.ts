import { z } from 'zod';
import { ClosedGate } from '../contracts/gate';
import { numbersOf, type Records } from './records';
import { accountHash } from './take-key';

/** The right to send one submit through a closed gate; past `until` its sender is taken for gone. */
const Probe = z.looseObject({ until: z.string() });

/** The closing that stands. */
export interface StandingGate extends ClosedGate {
  /** Counts the closings of the account, from 1. */
  readonly n: number;
  /** Until when the answer to the one submit that tries may come; null where nobody has tried yet. */
  readonly triedUntil: string | null;
}

/**
 * What holds back an account's submits, shared by all its workers.
 *
 * Each closing has a number: `closed-n`, then `probe-n`, then `opened-n`, each written once. The newest closing stands
 * until it is opened, so whoever opens an older one opens nothing.
 */
export interface GateRecord {
  /** Undefined where submits may go out. */
  read(): Promise<StandingGate | undefined>;
  close(gate: ClosedGate): Promise<void>;
  /** The right to send one submit; false where somebody else has it or had it, or the gate was closed anew. */
  beginProbe(n: number, until: string): Promise<boolean>;
  open(n: number): Promise<void>;
}

export function createGateRecord(records: Records, account: string): GateRecord {
  const folder = `accounts/${accountHash(account)}/gate`;
  const newest = (names: readonly string[]): number => numbersOf(names, 'closed').at(-1) ?? 0;
  return {
    async read() {
      const names = await records.list(folder);
      const n = newest(names);
      if (n === 0 || names.includes(`opened-${n}`)) return undefined;
      const closed = ClosedGate.parse(await records.read(`${folder}/closed-${n}`));
      const isTried = names.includes(`probe-${n}`);
      const triedUntil = isTried ? Probe.parse(await records.read(`${folder}/probe-${n}`)).until : null;
      return { ...closed, n, triedUntil };
    },
    async close(gate) {
      const n = newest(await records.list(folder)) + 1;
      // Where somebody else has just closed under this number, it is closed. A standing gate leaves its number behind.
      await records.create(`${folder}/closed-${n}`, ClosedGate.parse(gate));
    },
    async beginProbe(n, until) {
      if (!(await records.create(`${folder}/probe-${n}`, { until }))) return false;
      return newest(await records.list(folder)) === n;
    },
    async open(n) {
      await records.create(`${folder}/opened-${n}`, { at: new Date().toISOString() });
    },
  };
}
