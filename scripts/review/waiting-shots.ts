import { completedTakes, takesToChoose } from '../../contracts/commands';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';

/** A shot whose takes wait for a person. Two readings of a shot are equal if they give the person the same choice. */
export interface WaitingShot {
  readonly id: string;
  /** `choice`: the shot failed or was skipped, but has completed takes. */
  readonly for: 'approval' | 'choice';
  /** Numbers of the takes that the person can choose from; never empty. */
  readonly takes: readonly number[];
  /** The chosen take if it is one of `takes`, else the newest of `takes`. */
  readonly firstShown: number;
}

/** The shots whose takes wait for a person, in the film's order. */
export function waitingShots(
  { state, shots }: Pick<ProductionStatus, 'state' | 'shots'>,
  manifest: Pick<Manifest, 'shots'>,
): readonly WaitingShot[] {
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  return shots.flatMap((shot): WaitingShot[] => {
    const entry = entries.get(shot.id);
    // A review ends with its render.
    const isInReview = shot.review !== null && state === 'running';
    const takes = isInReview ? completedTakes(shot) : entry === undefined ? [] : takesToChoose(entry);
    const newest = takes.at(-1);
    if (newest === undefined) return [];
    const stands = shot.filmTake !== null && takes.includes(shot.filmTake) ? shot.filmTake : newest;
    return [{ id: shot.id, for: isInReview ? 'approval' : 'choice', takes, firstShown: stands }];
  });
}
