import { z } from 'zod';
import { ClosedGate } from '../contracts/gate';
import { ifReadable, numbersOf, type Records } from './records';
import { accountFolder } from './account-folder';

/** The right to send one submit through a closed gate; past `until` another may try beside it. */
const Probe = z.looseObject({ at: z.string(), until: z.string() });

export type LastTry = z.infer<typeof Probe>;

/** The closing that stands. */
export interface StandingGate extends ClosedGate {
  /** Counts the closings of the account, from 1. */
  readonly n: number;
  /** Submits that were let through to try it. */
  readonly probes: number;
  /** Since when and until when the last of them tries alone; null where nobody has tried yet. */
  readonly lastTry: LastTry | null;
}

/**
 * What holds back an account's submits, shared by all its workers.
 *
 * Each closing has a number: `closed-n`, then `probe-n-1` and perhaps further probes, then `opened-n`, each written
 * once. The newest closing stands until it is opened, so whoever opens an older one opens nothing.
 */
export interface GateRecord {
  /** Undefined where submits may go out. */
  read(): Promise<StandingGate | undefined>;
  close(gate: ClosedGate): Promise<void>;
  /**
   * The right to send one submit, the closing's next; false where somebody else has taken it, or the gate was closed
   * anew.
   */
  beginProbe(gate: Pick<StandingGate, 'n' | 'probes'>, probe: LastTry): Promise<boolean>;
  open(n: number): Promise<void>;
}

export function createGateRecord(records: Records, account: string): GateRecord {
  const folder = `${accountFolder(account)}/gate`;
  const newest = (names: readonly string[]): number => numbersOf(names, 'closed').at(-1) ?? 0;
  return {
    async read() {
      const names = await records.list(folder);
      const n = newest(names);
      if (n === 0 || names.includes(`opened-${n}`)) return undefined;
      const closed = await ifReadable(async () => ClosedGate.parse(await records.read(`${folder}/closed-${n}`)));
      // The record cannot be read, so the reason for the closing is unknown. The next failure closes the gate again.
      if (closed === undefined) return undefined;
      const probes = numbersOf(names, `probe-${n}`).at(-1) ?? 0;
      const probe = await ifReadable(async () => Probe.parse(await records.read(`${folder}/probe-${n}-${probes}`)));
      return { ...closed.value, n, probes, lastTry: probes > 0 ? (probe?.value ?? null) : null };
    },
    async close(gate) {
      const n = newest(await records.list(folder)) + 1;
      // Where somebody else has just closed under this number, it is closed. A standing gate leaves its number behind.
      await records.create(`${folder}/closed-${n}`, ClosedGate.parse(gate));
    },
    async beginProbe({ n, probes }, probe) {
      if (!(await records.create(`${folder}/probe-${n}-${probes + 1}`, Probe.parse(probe)))) return false;
      return newest(await records.list(folder)) === n;
    },
    async open(n) {
      await records.create(`${folder}/opened-${n}`, { at: new Date().toISOString() });
    },
  };
}
