import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Injection } from '../sandbox/faults/injection';
import { seededRandom } from '../sandbox/random';
import { storeStatus } from '../store/backup/copies';
import { type Crew } from './crew';
import { lifetimeMs } from './gateway-faults';
import { type LedgerLoss } from './ledger-loss';
import { type Fault } from './schedule';
import { type Stage } from './stage';
import { copyRecords, createForeignFiles } from './store-faults';

/** Counts the faults that struck, by name. */
export interface StrikeCounts {
  readonly signal: (signal: string, what: string) => void;
  readonly other: (what: string) => void;
}

/** Attempts to start a worker on a copy of the store. */
export interface Copies {
  /** Workers that refused to start. */
  refused: number;
  /** Workers that started. */
  served: number;
}

export interface Target {
  readonly stage: Stage;
  readonly crew: Crew;
  readonly loss: LedgerLoss;
  readonly struck: StrikeCounts;
  readonly copies: Copies;
  readonly folder: string;
}

/** Injects a fault, which strikes at once or as soon as it can. */
export async function injectFault(fault: Fault, target: Target): Promise<void> {
  const { stage, crew, loss, struck } = target;
  const { slots } = crew;
  switch (fault.kind) {
    case 'worker-kill':
      slots[fault.slot]?.strike('SIGKILL');
      return;
    case 'worker-term':
      slots[fault.slot]?.strike('SIGTERM');
      return;
    case 'fail-point':
      slots[fault.slot]?.armPoint(fault.order);
      return;
    case 'wire-point':
      slots[fault.slot]?.armWire(fault.point);
      return;
    case 'gateway':
      return disturb(stage, fault.injection);
    case 'temporal-kill':
      struck.signal('SIGKILL', 'temporal');
      await stage.killTemporal();
      return;
    case 'clock-step':
      slots[fault.slot]?.stepClock(fault.byMs);
      return;
    case 'ledger-loss':
      await loss.strike();
      struck.other('ledger lost and restored');
      return;
    case 'foreign-files':
      await loss.withRecords(() =>
        createForeignFiles(stage.store.folder, seededRandom('foreign files', String(fault.seed))),
      );
      struck.other('foreign files');
      return;
    case 'store-copy':
      await startOnCopy(target);
  }
}

async function disturb({ sandbox }: Stage, injection: Injection): Promise<void> {
  const withdraw = sandbox.faults.inject(injection);
  const forMs = lifetimeMs(injection);
  if (!Number.isFinite(forMs)) return;
  await sleep(forMs);
  withdraw();
}

/** Starts a worker on a copy of the store. The worker must refuse to start. */
async function startOnCopy({ stage, loss, struck, copies, folder }: Target): Promise<void> {
  const copy = await mkdtemp(join(folder, 'copy-'));
  await loss.withRecords(() => copyRecords(stage.store.folder, copy));
  // On a file system with unstable inodes, a worker cannot recognize a copy.
  if ((await storeStatus(copy)).place === 'unchecked') return;
  struck.other('store copied');
  try {
    const worker = await stage.startWorker({ storeFolder: copy });
    copies.served += 1;
    worker.signal('SIGKILL');
  } catch (error) {
    if (!String(error).includes('is a copy')) throw error;
    copies.refused += 1;
  }
}
