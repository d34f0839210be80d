import type { FrozenShot } from './frozen';

/** The choice of a take for a shot. The film and linked shots use this take. */
export interface Choice {
  readonly takeKey: string;
  /** Counts from 1 within the shot. */
  readonly take: number;
  /** `first`: it was the first take to complete. `default`: nobody answered a review in time. */
  readonly by: 'first' | 'person' | 'default';
  /** Whether the take was approved. False for `first`. */
  readonly approved: boolean;
}

/** An override of a shot in the production file, made by a person or by the file's fallback. */
export interface Direction {
  /** Digest of the shot in the file. If the shot changes there, the direction no longer applies. */
  readonly of: string;
  /** The whole shot as it is to be rendered. */
  readonly shot: FrozenShot;
  /** `deadline`: made by the file's fallback. Absent: made by a person. */
  readonly by?: 'deadline';
  /** Number of takes side by side, if it differs from the file's. */
  readonly takes?: number;
}

/** How a shot is reviewed. The shot waits for an approval at no cost. */
export interface Review {
  /** Time limit in seconds; null for none. */
  readonly withinSeconds: number | null;
  readonly otherwise: 'approve' | 'skip';
}
