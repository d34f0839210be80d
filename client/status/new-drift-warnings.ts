import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';

/**
 * Removes the drift warnings that were shown before: each is shown once per take. If the store cannot record that a
 * warning was shown, the warning stays.
 */
export async function withNewDriftWarnings(
  { productions }: Pick<Store, 'productions'>,
  { production, shots: statuses }: Pick<ProductionStatus, 'production' | 'shots'>,
  { shots }: Pick<Manifest, 'shots'>,
): Promise<Pick<Manifest, 'production' | 'shots'>> {
  const filmTakes = new Map(statuses.map(({ id, filmTake }) => [id, filmTake]));
  const shown = await Promise.all(
    shots.map(async (shot) => {
      if (shot.drift?.warning !== true) return shot;
      const take = filmTakes.get(shot.id) ?? 0;
      const isNew = await productions.noteDriftWarning(production, shot.id, take).catch(() => true);
      return isNew ? shot : { ...shot, drift: { ...shot.drift, warning: false } };
    }),
  );
  return { production, shots: shown };
}
