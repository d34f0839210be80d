import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Records } from '../../store';

/**
 * The manifest's shots without drift warnings that were already shown: each is shown once per take. If that cannot be
 * recorded, the warning is shown again.
 */
export async function untoldDrift(
  records: Records,
  { production, shots: known }: Pick<ProductionStatus, 'production' | 'shots'>,
  { shots }: Pick<Manifest, 'shots'>,
): Promise<Pick<Manifest, 'production' | 'shots'>> {
  const stands = new Map(known.map(({ id, filmTake }) => [id, filmTake]));
  const untold = await Promise.all(
    shots.map(async (shot) => {
      if (shot.drift?.warning !== true) return shot;
      const key = `productions/${production}/drift-told/${shot.id}-${stands.get(shot.id) ?? 0}`;
      const isNew = await records.create(key, { at: new Date().toISOString() }).catch(() => true);
      return isNew ? shot : { ...shot, drift: { ...shot.drift, warning: false } };
    }),
  );
  return { production, shots: untold };
}
