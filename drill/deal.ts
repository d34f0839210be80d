import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Injection } from '../sandbox/faults/injection';
import { seededRandom } from '../sandbox/random';
import { storeStanding } from '../store/copies';
import { type Crew } from './crew';
import { lastsMs } from './gateway-faults';
import { type LedgerLoss } from './ledger-loss';
import { type Fault } from './schedule';
import { type Stage } from './stage';
import { copyRecords, throwInForeignFiles } from './store-faults';

/** Counts strikes by name. */
export interface Struck {
  readonly signal: (signal: string, what: string) => void;
  readonly other: (what: string) => void;
}

/** Workers that were started on copies of the store, by what they did. */
export interface Copies {
  refused: number;
  served: number;
}

export interface Target {
  readonly stage: Stage;
  readonly crew: Crew;
  readonly loss: LedgerLoss;
  readonly struck: Struck;
  readonly copies: Copies;
  readonly folder: string;
}

/** Deals a fault. It strikes now, or as soon as it can. */
export async function deal(fault: Fault, target: Target): Promise<void> {
  const { stage, crew, loss, struck } = target;
  const { posts } = crew;
  switch (fault.kind) {
    case 'worker-kill':
      posts[fault.post]?.strike('SIGKILL');
      return;
    case 'worker-term':
      posts[fault.post]?.strike('SIGTERM');
      return;
    case 'fail-point':
      posts[fault.post]?.armPoint(fault.order);
      return;
    case 'wire-point':
      posts[fault.post]?.armWire(fault.point);
      return;
    case 'gateway':
      return disturb(stage, fault.injection);
    case 'temporal-kill':
      struck.signal('SIGKILL', 'temporal');
      await stage.killTemporal();
      return;
    case 'clock-step':
      posts[fault.post]?.stepClock(fault.byMs);
      return;
    case 'ledger-loss':
      await loss.strike();
      struck.other('ledger lost and restored');
      return;
    case 'foreign-files':
      await loss.withRecords(() =>
        throwInForeignFiles(stage.store.folder, seededRandom('foreign files', String(fault.seed))),
      );
      struck.other('foreign files');
      return;
    case 'store-copy':
      await startOnCopy(target);
  }
}

async function disturb({ sandbox }: Stage, injection: Injection): Promise<void> {
  const withdraw = sandbox.faults.inject(injection);
  const forMs = lastsMs(injection);
  if (!Number.isFinite(forMs)) return;
  await sleep(forMs);
  withdraw();
}

/** Starts a worker on a copy of the store, which must refuse. */
async function startOnCopy({ stage, loss, struck, copies, folder }: Target): Promise<void> {
  const copy = await mkdtemp(join(folder, 'copy-'));
  await loss.withRecords(() => copyRecords(stage.store.folder, copy));
  // This file system's numbers do not tell where a file comes from, so no copy is recognized.
  if ((await storeStanding(copy)).place === 'unchecked') return;
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
