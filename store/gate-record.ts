import { z } from 'zod';
import { ClosedGate } from '../contracts/gate';
import { ifReadable, numbersOf, type Records } from './records';
import { accountFolder } from './account-folder';
import { type AddressedModel, modelHash } from './timed-out-executes';

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

const Opened = z.looseObject({ at: z.string() });

/** One submit that goes out while a gate opens by degrees. */
export interface OpeningStep {
  /** The closing that was opened. */
  readonly n: number;
  readonly k: number;
}

/** How far a gate has opened that was closed before. */
export interface Opening {
  readonly n: number;
  readonly openedAt: string;
  /** Submits that were let through since. */
  readonly begun: number;
  /** Those of them that the gateway gave a sure answer. */
  readonly answered: number;
  /** Those that did not go out after all, or whose answer says nothing of the gateway. */
  readonly left: number;
}

/**
 * What holds back an account's submits, or those of one model, shared by all workers of the account.
 *
 * Each closing has a number: `closed-n`, then `probe-n-1` and perhaps further probes, then `opened-n`; while it opens by
 * degrees `step-n-k`, and `answered-n-k` or `left-n-k`. Each is written once. The newest closing stands until it is
 * opened, so whoever opens an older one opens nothing.
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
  /** Undefined if nothing was ever closed, or the newest closing stands. */
  opening(): Promise<Opening | undefined>;
  /** The right to send the next submit of an opening; false if somebody else has taken it. */
  beginStep(step: OpeningStep): Promise<boolean>;
  endStep(step: OpeningStep, how: 'answered' | 'left'): Promise<void>;
}

/** The gate of an account; with a model, the one of that model's submits. */
export function createGateRecord(records: Records, account: string, model?: AddressedModel): GateRecord {
  return gateAt(records, gateFolder(account) + (model === undefined ? '' : `/${MODELS}/${modelHash(model)}`));
}

function gateAt(records: Records, folder: string): GateRecord {
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
    async opening() {
      const names = await records.list(folder);
      const n = newest(names);
      if (n === 0 || !names.includes(`opened-${n}`)) return undefined;
      const opened = await ifReadable(async () => Opened.parse(await records.read(`${folder}/opened-${n}`)));
      const last = (kind: string): number => numbersOf(names, `${kind}-${n}`).at(-1) ?? 0;
      const count = (kind: string): number => numbersOf(names, `${kind}-${n}`).length;
      return {
        ...{ n, openedAt: opened?.value.at ?? new Date(0).toISOString() },
        ...{ begun: last('step'), answered: count('answered'), left: count('left') },
      };
    },
    beginStep: ({ n, k }) => records.create(`${folder}/step-${n}-${k}`, { at: new Date().toISOString() }),
    async endStep({ n, k }, how) {
      await records.create(`${folder}/${how}-${n}-${k}`, { at: new Date().toISOString() });
    },
  };
}

const MODELS = 'models';

function gateFolder(account: string): string {
  return `${accountFolder(account)}/gate`;
}

/** The gates of single models that are closed at present. */
export async function closedModelGates(records: Records, account: string): Promise<readonly StandingGate[]> {
  const folder = `${gateFolder(account)}/${MODELS}`;
  const hashes = await records.list(folder);
  const gates = await Promise.all(hashes.map((hash) => gateAt(records, `${folder}/${hash}`).read()));
  return gates.filter((gate) => gate !== undefined);
}
