/** States of productions, shots, takes, batches and rows. The module is free of zod, since workflows import it. */

export const PRODUCTION_STATES = ['running', 'completed', 'incomplete', 'cancelled'] as const;
export type ProductionState = (typeof PRODUCTION_STATES)[number];

export const SHOT_STATES = [
  'pending',
  'rendering',
  'completed',
  'failed',
  'parked',
  'review',
  'blocked',
  'skipped',
  'cancelled',
] as const;
export type ShotState = (typeof SHOT_STATES)[number];

export const TAKE_STATES = ['submitting', 'rendering', 'completed', 'failed', 'unclear'] as const;
export type TakeState = (typeof TAKE_STATES)[number];

export type BatchState = ProductionState;

/** States of a row that has ended or is parked. */
export const ROW_STATES = ['completed', 'failed', 'skipped', 'cancelled', 'parked'] as const;
export type RowState = (typeof ROW_STATES)[number];

export type RowCounts = Readonly<Record<RowState, number>>;
