import { CancellationScope, condition } from '@temporalio/workflow';
import type { BatchInput } from '../../contracts/render/batch';
import { resolveCommand } from '../../contracts/commands';
import { rowProductionId } from '../../contracts/identifiers';
import type { BatchNotice, NoticeType, ToldRow } from '../../contracts/notice';
import type { BatchProgress } from './batch-progress';
import { sendNotice } from '../notice/send-notice';

/** Maximum number of rows that one notice lists. */
const LISTED = 20;

/**
 * Delay of the notice about waiting rows. A wait that ends earlier needs no notice, and rows that start to wait during
 * the delay, for example in the same outage, are in the notice too.
 */
const SETTLED = '5 seconds';

/** Sends a batch's notices. If the batch has no `notify`, sends none and adds no events to the history. */
export interface BatchNotices {
  /** Call this when rows may have started to wait. */
  look(): void;
  /** Whether the notice about waiting rows was sent. It is sent once per run, however many rows wait. */
  hasToldWaits(): boolean;
  /** Stops watching, and resolves when the workflows of all notices have started. Await it before continue-as-new. */
  settle(): Promise<void>;
  /** Sends the notice of the end, and then does the same as `settle`. */
  ended(): Promise<void>;
}

export function openBatchNotices(input: BatchInput, progress: BatchProgress): BatchNotices {
  const { batchId, storeId, renderId, run, notify, carried } = input;
  const handingOver: Promise<void>[] = [];
  let hasToldWaits = carried?.toldWaits ?? false;
  let isOver = false;
  let isWatching = false;

  /** If a notice's workflow cannot be started, only the notice is lost. */
  function tell(type: Extract<NoticeType, 'batch.parked' | 'batch.done'>): void {
    if (notify === undefined) return;
    const subject = { kind: 'batch', id: batchId, renderId } as const;
    const data = noticeOf(progress);
    handingOver.push(sendNotice(storeId, notify, { type, subject, data, what: [`run ${run}`] }).catch(() => undefined));
  }
  const waits = (): boolean => progress.parked().length > 0;

  async function watch(): Promise<void> {
    const isGone = await condition(() => isOver || !waits(), SETTLED);
    isWatching = false;
    if (isGone || hasToldWaits) return;
    hasToldWaits = true;
    tell('batch.parked');
  }

  return {
    look() {
      if (notify === undefined || hasToldWaits || isWatching || !waits()) return;
      isWatching = true;
      void CancellationScope.nonCancellable(watch);
    },
    hasToldWaits: () => hasToldWaits,
    async settle() {
      isOver = true;
      await Promise.all(handingOver);
    },
    async ended() {
      isOver = true;
      tell('batch.done');
      await Promise.all(handingOver);
    },
  };
}

function noticeOf(progress: BatchProgress): BatchNotice {
  const { batch, run, state, rows, open, counts, underWay } = progress.status();
  const parked = progress.parked();
  const left = Object.values(counts).reduce((sum, count) => sum + count, underWay.length);
  return {
    batch,
    run,
    state,
    rows,
    open,
    counts: { ...counts, underWay: underWay.length, pending: open - left },
    creditsCharged: progress.credits(),
    waiting: parked.slice(0, LISTED).map(({ key, isProduction, end }): ToldRow => {
      const { parkedFor, at } = end;
      const command = isProduction
        ? `dailies status ${rowProductionId(batch, key)}`
        : resolveCommand(batch, key, parkedFor ?? 'failed');
      return { row: key, for: parkedFor, since: at, command };
    }),
    waitingCount: parked.length,
    command: `dailies batch status ${batch}`,
  };
}
