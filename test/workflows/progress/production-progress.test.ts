import { type ShotProgress } from '../../../contracts/workflows';
import { type CarriedProduction } from '../../../contracts/render/carried-production';
import { type TakeProgress } from '../../../contracts/render/take';
import { elapsedSeconds } from '../../../client/status/progress-in-words';
import { ProductionProgress } from '../../../workflows/progress/production-progress';
import { betaShot, film, linkedShot, planOf } from '../../support/rig';

/** How a production combines the reports of its shots, in whatever order they arrive. */
describe('the progress of a production', () => {
  const chain = film('film', [betaShot('a'), linkedShot('a2', 'a')]);
  const asset = {
    sha256: 'a'.repeat(64),
    sizeBytes: 1,
    mediaType: 'video/mp4',
    durationSeconds: 4,
    width: 1,
    height: 1,
  };

  const basis = { plan: asset, written: asset, maxInFlight: null, unattended: false };

  function started(carried?: CarriedProduction): ProductionProgress {
    const input = { productionId: 'film', storeId: 'store', production: asset, renderId: 'r', searchable: false };
    const before = carried === undefined ? {} : { carried };
    const progress = new ProductionProgress({ ...input, basis, plan: planOf(chain), ...before });
    if (carried === undefined) progress.shotStarted('a');
    return progress;
  }
  const take: TakeProgress = {
    take: 1,
    takeKey: 'b'.repeat(64),
    state: 'completed',
    taskId: 'task',
    credits: 1,
    asset,
    firstFrame: asset,
    lastFrame: { asset, source: 'clip' },
    warnings: [],
  };
  const told = (runId: string, changes: Partial<ShotProgress>): ShotProgress => ({
    shotId: 'a',
    runId,
    state: 'rendering',
    reason: null,
    parkedFor: null,
    takesUnderWay: 1,
    awaited: [],
    takes: [take],
    filmTake: null,
    ...changes,
  });
  const shot = (progress: ProductionProgress) => progress.status().shots[0]!;
  const stands = (progress: ProductionProgress) => progress.facts().get('a')?.take?.take;

  it('accepts a choice that arrives before the run that made it', () => {
    const progress = started();
    progress.shotProgressed(told('run-1', { filmTake: 1 }));
    expect(stands(progress)).toBeUndefined();
    progress.shotRuns('a', 'run-1');
    expect(stands(progress)).toBe(1);
  });

  it('counts how long a shot has waited for people, apart from its own time', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
    try {
      const progress = started();
      progress.shotRuns('a', 'run-1');
      jest.advanceTimersByTime(20_000);
      progress.shotProgressed(told('run-1', { state: 'parked', parkedFor: 'unclear', reason: 'lost' }));
      jest.advanceTimersByTime(3_000);
      progress.shotProgressed(told('run-1', {}));
      progress.shotProgressed(told('run-1', { state: 'review', filmTake: 1 }));
      jest.advanceTimersByTime(60_000);
      const { waitedSeconds } = shot(progress);
      expect({ waitedSeconds, taken: elapsedSeconds(shot(progress), Date.now()) }).toEqual({
        waitedSeconds: 3,
        taken: 20,
      });
      progress.shotEnded('a', { state: 'completed', reason: null, takes: [take], filmTake: 1 });
      expect(shot(progress)).toMatchObject({ waitedSeconds: 63 });
      expect(elapsedSeconds(shot(progress), Date.now())).toBe(20);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps a shot parked that parks before its start is reported', () => {
    const progress = started();
    progress.shotProgressed(told('run-1', { state: 'parked', parkedFor: 'unclear', reason: 'lost' }));
    progress.shotRuns('a', 'run-1');
    expect(shot(progress)).toMatchObject({ state: 'parked', reason: 'lost', parked: { for: 'unclear' } });
  });

  it('shows reports of an older run, follows none of its choices, and forgets it when its own run begins', () => {
    const progress = started();
    progress.shotProgressed(told('older', { state: 'parked', parkedFor: 'unclear', filmTake: 1 }));
    expect(shot(progress)).toMatchObject({ state: 'parked', filmTake: null });
    progress.shotRuns('a', 'run-1');
    expect(shot(progress)).toMatchObject({ state: 'rendering', parked: null });
    progress.shotProgressed(told('older', { filmTake: 1 }));
    expect(stands(progress)).toBeUndefined();
  });

  it('follows no choice of a run that is no longer wanted, and keeps its takes', () => {
    const progress = started();
    progress.shotRuns('a', 'run-1');
    const revision = { productionId: 'film', production: asset, plan: planOf(chain), basis, again: ['a'] };
    expect(progress.revise(revision)).toEqual({ renewed: ['a', 'a2'], unwanted: ['a'] });
    progress.shotProgressed(told('run-1', { filmTake: 1 }));
    expect(stands(progress)).toBeUndefined();
    progress.shotEnded('a', { state: 'completed', reason: null, takes: [take], filmTake: 1 });
    expect(shot(progress)).toMatchObject({ state: 'pending', filmTake: null, takes: [take] });
  });

  it('keeps the take that a report chooses, although it is the oldest of many', () => {
    const progress = started();
    progress.shotRuns('a', 'run-1');
    const takes = [1, 2, 3].map((n) => ({ ...take, take: n }));
    progress.shotProgressed(told('run-1', { takes, filmTake: 1 }));
    expect(stands(progress)).toBe(1);
  });

  it('shows a carried wait for the budget until all requests are repeated', () => {
    const shots = [
      {
        ...{ id: 'a', model: 'beta-2.5', state: 'parked' as const, reason: 'it needs 5 credits', review: null },
        ...{ parked: { for: 'budget' as const, since: '2026-01-01T00:00:00Z' }, filmTake: null, takes: [] },
        ...{ startedAt: '2026-01-01T00:00:00Z', endedAt: null, waitedSeconds: 0, earlier: [] },
        run: { id: 'run-1', isWanted: true, waitsForBudget: true },
      },
    ];
    const progress = started({
      ...{ startedAt: '2026-01-01T00:00:00Z', shots, isCancelled: false, budget: { credits: 1, older: [] }, row: null },
      readyBy: { started: [], asked: [], settled: [] },
      waits: { noted: [], counts: [], paces: [] },
    });
    progress.budget()?.expectRequests();
    expect(shot(progress)).toMatchObject({ state: 'parked', reason: 'it needs 5 credits' });
    progress.budget()?.requestsKnown();
    expect(shot(progress)).toMatchObject({ state: 'rendering', parked: null });
  });

  it('does not take a choice that waits for approval for a final one', () => {
    const progress = started();
    progress.shotRuns('a', 'run-1');
    progress.shotProgressed(told('run-1', { state: 'review', filmTake: 1 }));
    expect(shot(progress)).toMatchObject({ filmTake: 1, review: { takesUnderWay: 1 } });
    expect(stands(progress)).toBeUndefined();
    progress.shotProgressed(told('run-1', { filmTake: 1 }));
    expect(stands(progress)).toBe(1);
  });
});
