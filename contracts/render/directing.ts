import type { FrozenShot } from './frozen';

/** The take that is chosen for a shot. The film and the shots that start on its frames use it. */
export interface Choice {
  readonly takeKey: string;
  /** Counts from 1 within the shot. */
  readonly take: number;
  /** `first`: it completed first. `default`: nobody answered a review in time. */
  readonly by: 'first' | 'person' | 'default';
  /** Whether it needs no further review. */
  readonly approved: boolean;
}

/** A change of a shot from what the production file says, made by a person or by the file's fallback. */
export interface Direction {
  /** Digest of the shot in the file. If the shot changes there, the direction no longer applies. */
  readonly of: string;
  /** The whole shot as it is to be rendered. */
  readonly shot: FrozenShot;
  /** `deadline`: made by the file's fallback. Absent: by a person. */
  readonly by?: 'deadline';
  /** Number of takes side by side, if it differs from the file's. */
  readonly takes?: number;
}

/** How a shot is reviewed. It waits for an approval at no cost. */
export interface Review {
  /** Time limit in seconds; null for none. */
  readonly withinSeconds: number | null;
  readonly otherwise: 'approve' | 'skip';
}
