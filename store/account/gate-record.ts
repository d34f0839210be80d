import { z } from 'zod';
import { ClosedGate } from '../../contracts/gateway/gate';
import { ifReadable, numbersOf, type Records } from '../records';
import { accountFolder } from './account-folder';
import { type AddressedModel, modelHash } from './timed-out-executes';

/** The right to send one submit through a closed gate. After `until`, any process may send the next probe. */
const Probe = z.looseObject({ at: z.string(), until: z.string() });

export type Probe = z.infer<typeof Probe>;

/** The closing that is in force at a gate, with its probes. */
export interface GateClosing extends ClosedGate {
  /** Number of the closing, from 1. Each gate counts its own closings. */
  readonly n: number;
  /** Number of probes: submits that were let through to test whether the gateway accepts them. */
  readonly probes: number;
  /** Null if there is no probe, or if its record is unreadable. */
  readonly lastProbe: Probe | null;
}

const Opened = z.looseObject({ at: z.string() });

/** One submit that is let through while a gate opens gradually. */
export interface OpeningStep {
  /** Number of the closing after which the gate opens. */
  readonly n: number;
  /** Number of the submit within the opening, from 1. */
  readonly k: number;
}

/** The progress of a gate that opens gradually. */
export interface Opening {
  readonly n: number;
  readonly openedAt: string;
  /** Number of submits that were let through since `openedAt`. */
  readonly begun: number;
  /** Number of begun submits whose answer showed that the gateway works. */
  readonly answered: number;
  /** Number of begun submits that were not sent, or that ended without such an answer. */
  readonly abandoned: number;
}

/**
 * A gate that holds back all submits of an account, or those of one model. All workers of the account share it.
 *
 * Each closing has a number n and write-once records: `closed-n`, then `probe-n-1` and further probes, then `opened-n`.
 * While the gate opens gradually, each submit k adds `step-n-k`, and then `answered-n-k` or `left-n-k` (abandoned). The
 * newest closing is in force until its `opened-n` exists. Opening an older closing has no effect.
 */
export interface GateRecord {
  /** The closing in force; undefined if the gate is open, or if the record of the newest closing is unreadable. */
  read(): Promise<GateClosing | undefined>;
  close(gate: ClosedGate): Promise<void>;
  /**
   * Claims the right to send the next probe. False if another process has this right, or if the gate was closed again.
   */
  beginProbe(gate: Pick<GateClosing, 'n' | 'probes'>, probe: Probe): Promise<boolean>;
  open(n: number): Promise<void>;
  /** The opening after the newest closing; undefined if the gate was never closed, or is closed. */
  opening(): Promise<Opening | undefined>;
  /** Claims the right to send the next submit of an opening. False if another process has this right. */
  beginStep(step: OpeningStep): Promise<boolean>;
  endStep(step: OpeningStep, how: 'answered' | 'left'): Promise<void>;
}

/** The gate of an account's submits. If `model` is given, the gate of that model's submits. */
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
      // If the record cannot be read, treat the gate as open. The next failure closes it again.
      if (closed === undefined) return undefined;
      const probes = numbersOf(names, `probe-${n}`).at(-1) ?? 0;
      const probe = await ifReadable(async () => Probe.parse(await records.read(`${folder}/probe-${n}-${probes}`)));
      return { ...closed.value, n, probes, lastProbe: probes > 0 ? (probe?.value ?? null) : null };
    },
    async close(gate) {
      const n = newest(await records.list(folder)) + 1;
      // If the number is taken, another process has just closed the gate. If the gate was closed before, this closing
      // replaces the earlier one.
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
        ...{ begun: last('step'), answered: count('answered'), abandoned: count('left') },
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

/** The closed gates of single models. */
export async function closedModelGates(records: Records, account: string): Promise<readonly GateClosing[]> {
  const folder = `${gateFolder(account)}/${MODELS}`;
  const hashes = await records.list(folder);
  const gates = await Promise.all(hashes.map((hash) => gateAt(records, `${folder}/${hash}`).read()));
  return gates.filter((gate) => gate !== undefined);
}
