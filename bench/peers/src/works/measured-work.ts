import { type Run, type Task } from '../run';
import { type Figures } from '../saved';

/** Work that is measured, and the figures of its runs. */
export interface MeasuredWork {
  readonly name: string;
  readonly title: string;
  /** The task of a round. Rounds count from 0. */
  readonly task: (round: number) => Task;
  readonly rounds: number;
  /**
   * True if the work kills the contender's program. Tasks that are then lost or paid twice are errors only of Dailies,
   * and figures of the other contenders.
   */
  readonly isCrash?: boolean;
  readonly figures: (run: Run) => Figures;
}

export interface Rounds {
  readonly rounds: number;
  readonly limitSeconds: number;
}

/** fal-js's poll interval. Contenders without a prescribed interval also use it, except in `in-flight`. */
export const POLL_MS = 500;
