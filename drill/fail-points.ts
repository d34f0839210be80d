import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Assets, type Ledger, type Store, type StoredAccount, wrapAssets } from '../store';

/**
 * Points at which a worker can be killed or stopped, in the order of the work. A crash leaves different records and
 * files at each point. The drill reaches the points by wrapping the worker's store, so production code does not depend
 * on the drill. The points on the wire are in wire.ts.
 */
export const STORE_POINTS = [
  /** Nothing is written yet. */
  'before-intent',
  'intent-durable',
  /**
   * The account's limits are about to be read, while this worker has no right to send. A submit reads them after it
   * checks for a cancellation, and before it asks for the right to send.
   */
  'before-limits',
  /** The take may be sent; this worker has not asked for the right to send yet. */
  'before-sent',
  /** This worker has the right to send; no byte has been sent. */
  'sent-durable',
  /** The answer with the task id is recorded; the task is not claimed for its take yet. */
  'answer-durable',
  /** The task is claimed; the take is not recorded as accepted yet. */
  'claim-durable',
  /** The take is recorded as accepted; the activity has not returned. */
  'accepted-durable',
  /** The decision on a parked take is recorded; the activity has not returned. */
  'decision-durable',
  /** The end of the task is recorded; the activity has not returned. */
  'settled-durable',
  /** All bytes are in a part file, which is not committed yet. */
  'before-commit',
  /** The task's output is in the store and the ledger; the activity has not returned. */
  'output-durable',
  /** A piece of the film is being written or was just written. */
  'assembly-half',
] as const;
export type StorePoint = (typeof STORE_POINTS)[number];

/** Sends the process SIGKILL, or SIGSTOP, which pauses it until SIGCONT. */
export type FailAction = 'kill' | 'stop';

/** Strikes once, when the point is reached for the `count`th time after `arm`. */
export interface FailOrder {
  readonly point: StorePoint;
  readonly count: number;
  readonly action: FailAction;
}

export interface FailPoints {
  arm(order: FailOrder): void;
  reach(point: StorePoint): Promise<void>;
  isArmed(point: StorePoint): boolean;
}

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;

/** @param onReached called before the process gets its signal. */
export function createFailPoints(onReached: (order: FailOrder) => Promise<void>): FailPoints {
  const armed = new Map<StorePoint, { order: FailOrder; remaining: number }>();
  return {
    arm(order) {
      armed.set(order.point, { order, remaining: order.count });
    },
    isArmed: (point) => armed.has(point),
    async reach(point) {
      const armedPoint = armed.get(point);
      if (armedPoint === undefined) return;
      armedPoint.remaining -= 1;
      if (armedPoint.remaining > 0) return;
      armed.delete(point);
      await onReached(armedPoint.order);
      process.kill(process.pid, SIGNALS[armedPoint.order.action]);
    },
  };
}

/**
 * Pause after an execute has timed out. During the pause, tasks of the model are submitted instead of executed. The
 * pause is shorter than in production, because a drill cannot wait that long.
 */
const EXECUTE_PAUSE_MS = 15_000;

interface Sendings {
  /** Number of sendings that this worker has begun and not ended. */
  underWay: number;
}

/**
 * Wraps a store, so that its durable steps pass through the fail points.
 *
 * @param sendingLimitMs replaces the recorded time limit of each sending, because a drill cannot wait for minutes.
 */
export function withFailPoints(store: Store, points: FailPoints, sendingLimitMs: number): Store {
  const sendings: Sendings = { underWay: 0 };
  return {
    ...store,
    account: (name) => accountWithFailPoints(store.account(name), points, sendings),
    ledger: ledgerWithFailPoints(store.ledger, points, sendings, sendingLimitMs),
    assets: assetsWithFailPoints(store.assets, points),
  };
}

function accountWithFailPoints(account: StoredAccount, points: FailPoints, sendings: Sendings): StoredAccount {
  const { limits, timedOutExecutes } = account;
  const until = (): string => new Date(Date.now() + EXECUTE_PAUSE_MS).toISOString();
  return {
    ...account,
    limits: {
      ...limits,
      async inForce() {
        if (sendings.underWay === 0) await points.reach('before-limits');
        return limits.inForce();
      },
    },
    timedOutExecutes: {
      ...timedOutExecutes,
      note: (model, timedOut) => timedOutExecutes.note(model, { ...timedOut, until: until() }),
    },
  };
}

function ledgerWithFailPoints(ledger: Ledger, points: FailPoints, sendings: Sendings, sendingLimitMs: number): Ledger {
  async function reachAfter<T>(point: Parameters<FailPoints['reach']>[0], step: Promise<T>): Promise<T> {
    const result = await step;
    await points.reach(point);
    return result;
  }
  return {
    ...ledger,
    async intend(address, intent) {
      await points.reach('before-intent');
      return reachAfter('intent-durable', ledger.intend(address, intent));
    },
    async beginSending(address, n, sent) {
      await points.reach('before-sent');
      const until = new Date(Date.parse(sent.at) + sendingLimitMs).toISOString();
      const maySend = await ledger.beginSending(address, n, { ...sent, until });
      if (maySend) {
        sendings.underWay += 1;
        await points.reach('sent-durable');
      }
      return maySend;
    },
    async endSending(address, n, end) {
      const isNoted = await ledger.endSending(address, n, end);
      if (isNoted && end.kind !== 'accepted' && end.kind !== 'also-accepted')
        sendings.underWay = Math.max(0, sendings.underWay - 1);
      if (end.kind === 'answered') await points.reach('answer-durable');
      if (end.kind === 'accepted') await points.reach('accepted-durable');
      return isNoted;
    },
    claimTask: (address, task) => reachAfter('claim-durable', ledger.claimTask(address, task)),
    decide: (address, n, decision) => reachAfter('decision-durable', ledger.decide(address, n, decision)),
    settle: (address, settled) => reachAfter('settled-durable', ledger.settle(address, settled)),
    noteOutput: (address, taskId, output) => reachAfter('output-durable', ledger.noteOutput(address, taskId, output)),
  };
}

function assetsWithFailPoints(assets: Assets, points: FailPoints): Assets {
  return wrapAssets(assets, {
    create: (label, write, describe) =>
      assets.create(
        label,
        async (part) => {
          if (label === 'film' && points.isArmed('assembly-half')) void watchAssembly(dirname(part), points);
          await write(part);
          await points.reach('before-commit');
        },
        describe,
      ),
    async commitPart(part, describe, written) {
      await points.reach('before-commit');
      return assets.commitPart(part, describe, written);
    },
  });
}

/** Much shorter than the time that ffmpeg needs for a piece. */
const CHECK_EVERY_MS = 5;

/**
 * Reaches the point `assembly-half` at each check while an assembly has pieces. An assembly works in a scratch folder
 * beside its part file. Pieces that were rendered ahead are hard links and do not count.
 */
async function watchAssembly(folder: string, points: FailPoints): Promise<void> {
  while (points.isArmed('assembly-half')) {
    const scratch = (await readdir(folder)).filter((name) => name.startsWith('.film-'));
    const names = await Promise.all(scratch.map(async (name) => pathsIn(join(folder, name)).catch(() => [])));
    const pieces = await Promise.all(names.flat().map((path) => stat(path).catch(() => undefined)));
    if (pieces.some((piece) => piece?.nlink === 1)) await points.reach('assembly-half');
    await sleep(CHECK_EVERY_MS);
  }
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('piece-')).map((name) => join(folder, name));
}
