import { type PlannedShot } from '../../contracts/plan';
import { type ShotAction, type ShotPlan } from '../../contracts/render-plan';
import { type ShotState } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';

export type Rules = Partial<Omit<PlannedShot, 'id' | 'links'>>;

/** In what state a render leaves a shot of which a plan said so, where the gateway has no further faults. */
export const LEAVES: Readonly<Record<ShotAction, ShotState>> = {
  reused: 'completed',
  collected: 'completed',
  new: 'completed',
  changed: 'completed',
  stale: 'completed',
  again: 'completed',
  waits: 'parked',
  skipped: 'skipped',
  failed: 'failed',
  blocked: 'blocked',
};

export function stateOf({ shots }: ProductionStatus, { shot }: ShotPlan): ShotState | undefined {
  return shots.find(({ id }) => id === shot)?.state;
}

export function expectedState({ action, heldBy }: ShotPlan): ShotState {
  return heldBy.length > 0 ? 'pending' : LEAVES[action];
}
