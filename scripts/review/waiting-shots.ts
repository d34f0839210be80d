import { completedTakes, takesToChoose } from '../../contracts/commands';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';

/** A shot that waits for a person to look at its takes. Two that are equal show the same. */
export interface WaitingShot {
  readonly id: string;
  /** Whether it waits for an approval, or was left without a take and has some that were paid for. */
  readonly for: 'approval' | 'choice';
  /** Numbers of the takes among which a person has the choice; never empty. */
  readonly takes: readonly number[];
  /** The take that stands, or else the newest of these. */
  readonly stands: number;
}

/** The shots of a production that a person reviews, in the film's order. */
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
    return [{ id: shot.id, for: isInReview ? 'approval' : 'choice', takes, stands }];
  });
}
