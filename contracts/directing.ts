import type { FrozenShot } from './frozen';

/** Which take stands for a shot, in the film and in the shots that start on its frames. */
export interface Choice {
  readonly takeKey: string;
  /** Counts from 1 within the shot. */
  readonly take: number;
  /** `first`: it completed first. `default`: nobody answered a review in time. */
  readonly by: 'first' | 'person' | 'default';
  /** Whether it needs no further review. */
  readonly approved: boolean;
}

/** What a person, or the file's own fallback, has changed against the production file. */
export interface Direction {
  /** Digest of the shot as the file has it; for another shot in the file the direction does not count. */
  readonly of: string;
  /** The whole shot as it is to be rendered. */
  readonly shot: FrozenShot;
  /** Absent: a person. */
  readonly by?: 'deadline';
  /** Takes side by side, where another number than the file's. */
  readonly takes?: number;
}

/** How a shot is reviewed: it waits for an approval, at no cost. */
export interface Review {
  /** How long, in seconds; null for ever. */
  readonly withinSeconds: number | null;
  /** What happens by itself then. */
  readonly otherwise: 'approve' | 'skip';
}
