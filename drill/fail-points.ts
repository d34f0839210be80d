import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store } from '../store';

/**
 * Places in a worker at which a crash leaves something else behind than a moment before, in the order of the work.
 *
 * Each lies at a durable step, and every durable step goes through the store. So the store of a worker under drill is
 * wrapped, and the code that spends money knows nothing of it. The places on the wire are in wire.ts.
 */
export const STORE_POINTS = [
  /** Nothing is written yet. */
  'before-intent',
  'intent-durable',
  /** Found sendable; the right to send is not asked for yet. */
  'before-sent',
  /** The right to send is this worker's; no byte has left. */
  'sent-durable',
  /** The task id is durable, in the answer; the task is not claimed for its take yet. */
  'answer-durable',
  /** The task is claimed; the take is not noted as accepted yet. */
  'claim-durable',
  /** The take is accepted; the activity has not answered. */
  'accepted-durable',
  /** How a parked take goes on is noted; nobody has been told. */
  'decision-durable',
  /** The end of the task is noted; the activity has not answered. */
  'settled-durable',
  /** The bytes are all there, as a part file. */
  'before-commit',
  /** What the task left is in the store and on the books; the activity has not answered. */
  'output-durable',
  /** The first piece of the film is being written. */
  'assembly-half',
] as const;
export type StorePoint = (typeof STORE_POINTS)[number];

/** What happens to the process there: SIGKILL, or SIGSTOP until somebody sends SIGCONT. */
export type FailAction = 'kill' | 'stop';

/** Strikes once, when the point is reached for the `count`th time from now on. */
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

/** @param onReached told before the process is struck. */
export function createFailPoints(onReached: (order: FailOrder) => Promise<void>): FailPoints {
  const armed = new Map<StorePoint, { order: FailOrder; left: number }>();
  return {
    arm(order) {
      armed.set(order.point, { order, left: order.count });
    },
    isArmed: (point) => armed.has(point),
    async reach(point) {
      const found = armed.get(point);
      if (found === undefined) return;
      found.left -= 1;
      if (found.left > 0) return;
      armed.delete(point);
      await onReached(found.order);
      process.kill(process.pid, SIGNALS[found.order.action]);
    },
  };
}

/** A model whose execute timed out is submitted for so long, in place of a day, so that a drill goes on executing. */
const SUBMITTED_FOR_MS = 15_000;

const TIMED_OUT_EXECUTE = /\/timed-out-executes\//;

/**
 * A store that passes through the fail points.
 *
 * @param sendingLimitMs how long a sending without an end is waited for, in place of what the sender wrote: a drill has
 *   no minute to wait for each.
 */
export function withFailPoints(store: Store, points: FailPoints, sendingLimitMs: number): Store {
  const { ledger, assets, records } = store;
  return {
    ...store,
    records: {
      ...records,
      replace: (key, value) =>
        records.replace(
          key,
          TIMED_OUT_EXECUTE.test(key)
            ? { ...(value as object), until: new Date(Date.now() + SUBMITTED_FOR_MS).toISOString() }
            : value,
        ),
    },
    ledger: {
      ...ledger,
      async intend(address, intent) {
        await points.reach('before-intent');
        const isOurs = await ledger.intend(address, intent);
        await points.reach('intent-durable');
        return isOurs;
      },
      async beginSending(address, n, sent) {
        await points.reach('before-sent');
        const until = new Date(Date.parse(sent.at) + sendingLimitMs).toISOString();
        const maySend = await ledger.beginSending(address, n, { ...sent, until });
        if (maySend) await points.reach('sent-durable');
        return maySend;
      },
      async endSending(address, n, end) {
        const isNoted = await ledger.endSending(address, n, end);
        if (end.kind === 'answered') await points.reach('answer-durable');
        if (end.kind === 'accepted') await points.reach('accepted-durable');
        return isNoted;
      },
      async claimTask(address, task) {
        const owner = await ledger.claimTask(address, task);
        await points.reach('claim-durable');
        return owner;
      },
      async decide(address, n, decision) {
        const isNoted = await ledger.decide(address, n, decision);
        await points.reach('decision-durable');
        return isNoted;
      },
      async settle(address, settled) {
        const isNoted = await ledger.settle(address, settled);
        await points.reach('settled-durable');
        return isNoted;
      },
      async noteOutput(address, taskId, output) {
        await ledger.noteOutput(address, taskId, output);
        await points.reach('output-durable');
      },
    },
    assets: {
      ...assets,
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
    },
  };
}

/** Much shorter than ffmpeg needs for a piece. */
const LOOK_EVERY_MS = 5;

/**
 * Assembly works in a scratch folder beside its part file; it is under way when the first piece is there. One that was
 * rendered ahead is linked there at once.
 */
async function watchAssembly(folder: string, points: FailPoints): Promise<void> {
  while (points.isArmed('assembly-half')) {
    const scratch = (await readdir(folder)).filter((name) => name.startsWith('.film-'));
    const names = await Promise.all(scratch.map(async (name) => pathsIn(join(folder, name)).catch(() => [])));
    const pieces = await Promise.all(names.flat().map((path) => stat(path).catch(() => undefined)));
    if (pieces.some((piece) => piece?.nlink === 1)) await points.reach('assembly-half');
    await sleep(LOOK_EVERY_MS);
  }
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('piece-')).map((name) => join(folder, name));
}
