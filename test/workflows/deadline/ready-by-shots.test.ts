import type { ProductionInput } from '../../../contracts/workflows';
import type { ProductionProgress } from '../../../workflows/progress/production-progress';
import { ReadyByShots } from '../../../workflows/deadline/ready-by-shots';
import { betaShot, film, planOf } from '../../support/rig';

describe('the shots that use the fallback', () => {
  it('are those of the plan, in the version that was settled', () => {
    const plan = planOf(film('film', [betaShot('kept'), betaShot('retaken')]));
    const progress = { input: () => ({ plan }) as ProductionInput } as unknown as ProductionProgress;
    const digest = plan.shots.find(({ id }) => id === 'kept')?.digest ?? '';
    const settled = ['kept', 'retaken', 'removed'].map((shot) => ({
      ...{ shot, takenAt: `2026-01-01T00:00:0${shot.length}Z` },
      digest: shot === 'retaken' ? 'an earlier version' : digest,
    }));
    const shots = new ReadyByShots(progress, { started: [], asked: [], settled });
    expect(shots.taken()).toEqual([{ shot: 'kept', at: '2026-01-01T00:00:04Z' }]);
    expect(shots.isSettled('removed')).toBe(true);
    // The fallback does not apply to the retaken version either.
    shots.settle(['retaken'], []);
    expect(shots.taken()).toEqual([{ shot: 'kept', at: '2026-01-01T00:00:04Z' }]);
  });
});
