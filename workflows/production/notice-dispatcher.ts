import { CancellationScope, condition } from '@temporalio/workflow';
import { exactCredits } from '../../contracts/money/credits';
import type { ShotState } from '../../contracts/states';
import type { CarriedWaits } from '../../contracts/render/carried-production';
import type { NoticeType, ProductionNotice, Wait } from '../../contracts/notice';
import { chargesOf, type ProductionStatus } from '../../contracts/status';
import type { ProductionProgress } from '../progress/production-progress';
import { type Happening, sendNotice } from '../notice/send-notice';
import { mayBeCharged, WaitBook, waitsOf } from './pending-notices';

/** Maximum number of waits that one notice lists. */
const LISTED = 20;

/** Sends a production's notices. If the file names no receiver, sends nothing and adds no events to the history. */
export interface NoticeDispatcher {
  /** To be called when shots may have begun to wait or stopped waiting. */
  check(): void;
  /** Sends the notice of the end. Resolves when the workflow of each notice has started or failed to start. */
  ended(): Promise<void>;
  /** Whether no notice's workflow is being started. */
  isIdle(): boolean;
  /** The state for the production's next history. */
  carried(): CarriedWaits;
}

export function openNoticeDispatcher(
  progress: ProductionProgress,
  carried: CarriedWaits | undefined,
): NoticeDispatcher {
  const book = new WaitBook(carried);
  const handingOver = new Set<Promise<void>>();
  let isWatching = false;
  let hasEnded = false;

  /** If a notice's workflow cannot be started, only the notice is lost. */
  function tell(happening: Pick<Happening, 'type' | 'what'>, waits: readonly Wait[]): void {
    const { storeId, plan } = progress.input();
    if (plan.notify === undefined) return;
    const status = progress.status();
    const subject = { kind: 'production', id: status.production, renderId: status.renderId } as const;
    const data = noticeOf(status, waits);
    const handed = sendNotice(storeId, plan.notify, { ...happening, subject, data }).catch(() => undefined);
    handingOver.add(handed);
    void handed.then(() => handingOver.delete(handed));
  }

  /** Runs while waits are unreported. Sleeps until a report is due; a new wait that is due sooner ends the sleep. */
  async function watch(): Promise<void> {
    for (let due = book.nextMs(); due !== undefined && !isOver(); due = book.nextMs()) {
      const [untilMs, waitMs] = [due, due - Date.now()];
      if (waitMs > 0) await condition(() => isOver() || (book.nextMs() ?? Infinity) < untilMs, waitMs);
      else for (const { type, what, waits } of book.take(Date.now())) tell({ type, what }, waits);
    }
    isWatching = false;
  }
  function isOver(): boolean {
    return hasEnded;
  }

  return {
    isIdle: () => handingOver.size === 0,
    carried: () => book.carried(),
    check() {
      const { notify } = progress.input().plan;
      if (notify === undefined) return;
      const status = progress.status();
      const waits = waitsOf(status).filter(({ type }) => notify.on?.includes(type) !== false);
      book.see(waits, { now: Date.now(), charging: mayBeCharged(status) });
      if (isWatching || book.nextMs() === undefined) return;
      isWatching = true;
      void CancellationScope.nonCancellable(watch);
    },
    async ended() {
      if (progress.input().plan.notify === undefined) return;
      hasEnded = true;
      const { state, film, shots } = progress.status();
      if (state !== 'running') {
        const states = shots.map(({ id, state: shotState }) => `${id} ${shotState}`);
        tell({ type: ENDS[state], what: [film?.sha256 ?? 'no film', ...states] }, []);
      }
      await Promise.all(handingOver);
    },
  };
}

const ENDS = {
  completed: 'production.completed',
  incomplete: 'production.incomplete',
  cancelled: 'production.cancelled',
} as const satisfies Record<Exclude<ProductionStatus['state'], 'running'>, NoticeType>;

function noticeOf(
  { production, title, state, shots, budget, film }: ProductionStatus,
  waits: readonly Wait[],
): ProductionNotice {
  const counts: { [State in ShotState]?: number } = {};
  for (const shot of shots) counts[shot.state] = (counts[shot.state] ?? 0) + 1;
  return {
    production,
    title,
    state,
    shots: counts,
    creditsCharged: exactCredits(shots.flatMap(chargesOf).reduce((sum, credits) => sum + credits, 0)),
    budget: budget === undefined ? null : { credits: budget.credits, spent: budget.spent, reserved: budget.reserved },
    waiting: waits.slice(0, LISTED).map(({ type: _type, take: _take, ...wait }) => wait),
    waitingCount: waits.length,
    film: film === null ? null : { sha256: film.sha256, sizeBytes: film.sizeBytes },
    command: `dailies status ${production}`,
  };
}
