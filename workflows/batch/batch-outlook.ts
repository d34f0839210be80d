import type { BatchInput } from '../../contracts/render/batch';
import type { CarriedReadyBy } from '../../contracts/render/batch-time';
import type { BatchProgress } from './batch-progress';
import { batchLeftMs, NO_PACE, paceAfter } from './batch-time-left';
import { lastMomentMs, type SlowTimes, untimedModels, urgentAtMs, warningOf } from '../deadline/ready-by-rules';
import { nowMs, timestamp } from '../temporal/clock';

/** Computes a batch's progress towards its `readyBy` from usual times, started rows and the pace at which rows end. */
export class BatchOutlook {
  readonly #readyBy: NonNullable<BatchInput['readyBy']>;
  readonly #parallel: number;
  readonly #progress: BatchProgress;
  readonly #begun: Record<string, number>;
  #slow: SlowTimes;
  #isLearned: boolean;
  #pace: CarriedReadyBy['pace'];

  constructor(
    readyBy: NonNullable<BatchInput['readyBy']>,
    { parallel, carried }: Pick<BatchInput, 'parallel' | 'carried'>,
    progress: BatchProgress,
  ) {
    const before = carried?.deadline;
    this.#readyBy = readyBy;
    this.#parallel = parallel;
    this.#progress = progress;
    this.#begun = { ...before?.begun };
    this.#slow = before?.slow ?? {};
    this.#isLearned = before !== undefined;
    this.#pace = before?.pace ?? NO_PACE;
  }

  /** The models of the single tasks to render, sorted. */
  models(): readonly string[] {
    return Object.keys(this.#readyBy.openByModel).toSorted();
  }

  learned(slow: SlowTimes): void {
    this.#slow = slow;
    this.#isLearned = true;
  }

  begun(model: string): void {
    this.#begun[model] = (this.#begun[model] ?? 0) + 1;
  }

  /** To be called when rows may have ended. */
  look(): void {
    this.#pace = paceAfter(this.#pace, { ended: this.#progress.figures().ended, atMs: nowMs() }, this.#parallel);
  }

  isTimed(model: string): boolean {
    return this.#slow[model] !== undefined;
  }

  untimed(): readonly string[] {
    return untimedModels(this.models(), this.#slow);
  }

  /** The last moment for rows to start without the fallback; null if no usual time is known. */
  lastMomentMs(): number | null {
    const leftMs = this.#leftMs();
    return leftMs === null ? null : lastMomentMs(this.#atMs(), leftMs);
  }

  /** The time from which rows are urgent, ISO 8601; null if no usual time is known. */
  urgentFrom(): string | null {
    const leftMs = this.#leftMs();
    return leftMs === null ? null : timestamp(urgentAtMs(this.#atMs(), leftMs));
  }

  warning(): string | null {
    const leftMs = this.#leftMs();
    const isPast = (ms: number | null): boolean => ms !== null && nowMs() >= ms;
    return warningOf({
      nowMs: nowMs(),
      atMs: this.#atMs(),
      isOpen: this.#progress.figures().left > 0,
      hasFallback: this.#readyBy.hasFallback,
      late: isPast(this.lastMomentMs()) ? [] : null,
      overdue: leftMs !== null && isPast(this.#atMs() - leftMs) ? [] : null,
      untimed: this.#isLearned ? this.untimed() : [],
    });
  }

  /** The state that continue-as-new passes on. */
  carried(): Pick<CarriedReadyBy, 'begun' | 'slow' | 'pace'> {
    return { begun: this.#begun, slow: this.#slow, pace: this.#pace };
  }

  #atMs(): number {
    return Date.parse(this.#readyBy.at);
  }

  #leftMs(): number | null {
    const { left } = this.#progress.figures();
    const [open, parallel] = [this.#readyBy.openByModel, this.#parallel];
    return batchLeftMs({ open, begun: this.#begun, left, parallel, slow: this.#slow, pace: this.#pace });
  }
}
